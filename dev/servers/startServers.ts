import { join } from 'node:path';
import { ensureDatabase } from './ensureDatabase';
import { installMissingServers } from './installSystemPackages';
import { startPrivateMysql } from './privateMysql';
import { startPrivateRedis } from './privateRedis';
import type { PrivateServer } from './serverProcess';

export interface ServersOptions {
  /** Running servers; undefined for a private one. */
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** Private servers keep their data in `mysql` and `redis` here. */
  readonly dataDir: string;
  readonly log: (line: string) => void;
}

export interface Servers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Those that were started here. */
  readonly started: readonly PrivateServer[];
}

/** Starts the servers that are not given, with durable commits, and creates the database if it is missing. */
export async function startServers({ databaseUrl, redisUrl, dataDir, log }: ServersOptions): Promise<Servers> {
  await installMissingServers(
    [...(databaseUrl ? [] : (['mysql'] as const)), ...(redisUrl ? [] : (['redis'] as const))],
    log,
  );
  const [mysql, redis] = await Promise.all([
    databaseUrl ? undefined : startPrivateMysql({ dataDir: join(dataDir, 'mysql'), durable: true, log }),
    redisUrl ? undefined : startPrivateRedis({ dataDir: join(dataDir, 'redis'), durable: true, log }),
  ]);
  const servers = {
    databaseUrl: databaseUrl ?? `${mysql?.url}/invoicing`,
    redisUrl: redisUrl ?? `${redis?.url}`,
    started: [mysql, redis].filter((server) => server !== undefined),
  };
  await ensureDatabase(servers.databaseUrl);
  return servers;
}
