import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

/** A MySQL and a Redis of our own, empty, fast and forgetful. Nothing of them is left when this process ends in any way. */
export async function startThrowAwayServers(log: (line: string) => void): Promise<ThrowAwayServers> {
  const folder = mkdtempSync(join(tmpdir(), 'invoicing-'));
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
