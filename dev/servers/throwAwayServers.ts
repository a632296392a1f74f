import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardFolder } from './guard';
import { startPrivateMysql } from './privateMysql';
import { startPrivateRedis } from './privateRedis';

export interface ThrowAwayServers {
  /** Without a database; the user may create some. */
  readonly mysqlUrl: string;
  readonly redisUrl: string;
  /** Ends both servers and removes their data. */
  stop(): Promise<void>;
}

/** A folder in memory on Linux. */
const IN_MEMORY = '/dev/shm';
/** Four times the data of a whole test run. A container often has 64 MB there. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * Starts an empty MySQL and Redis without durable commits. They and their data are removed when this process ends in
 * any way.
 */
export async function startThrowAwayServers(log: (line: string) => void): Promise<ThrowAwayServers> {
  const folder = mkdtempSync(join(fastestFolder(), 'invoicing-'));
  guardFolder(folder);
  const [mysql, redis] = await Promise.all([
    startPrivateMysql({ dataDir: join(folder, 'mysql'), durable: false, log }),
    startPrivateRedis({ dataDir: join(folder, 'redis'), durable: false, log }),
  ]);
  return {
    mysqlUrl: mysql.url,
    redisUrl: redis.url,
    stop: async () => {
      await Promise.all([mysql.stop(), redis.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * MySQL waits for the disk at each CREATE and DROP TABLE with any settings: in memory they take a hundredth of the
 * time.
 */
function fastestFolder(): string {
  if (process.env['TMPDIR'] || !existsSync(IN_MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES ? IN_MEMORY : tmpdir();
}
