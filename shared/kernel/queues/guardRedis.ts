import { Redis } from 'ioredis';
import { ConfigurationError } from '../../../config/env';
import { readRedisUrl } from '../../../config/redisUrl';
import { guardStart } from '../guardStart';
import type { Logger } from '../log';
import { replyOf } from './replies';

const TIMEOUT_MS = 3_000;

/**
 * Checks while the process starts that REDIS_URL names a server that can hold the queues. If Redis is unreachable or refuses
 * the password, the process starts all the same, and the check is repeated until it has a result.
 * @throws {ConfigurationError} for a Redis Cluster, a Sentinel or a missing database, if the first check finds it.
 */
export function guardRedis(redisUrl: string, log: Logger): Promise<void> {
  return guardStart(async () => {
    try {
      await checkRedis(redisUrl);
      return true;
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      // Only debug: the queues' own connections log a warning.
      log.debug({ err: error }, 'Redis could not be checked; the check is repeated');
      return false;
    }
  });
}

async function checkRedis(redisUrl: string): Promise<void> {
  const { url, database } = readRedisUrl(redisUrl);
  const redis = new Redis(url, {
    lazyConnect: true,
    // The check reads INFO itself.
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
  });
  // Errors reject the calls below.
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    const info = await redis.info();
    if (/^redis_mode:sentinel\r?$/m.test(info)) throw unusable(sentinel);
    if (/^cluster_enabled:1\r?$/m.test(info)) throw unusable(cluster);
    if (database > 0) await select(redis, database);
  } finally {
    redis.disconnect();
  }
}

const cluster =
  'names a node of a Redis Cluster (cluster_enabled:1), over which the queues do not work; ' +
  'set it to a single Redis or Valkey server, with replicas if you like';
const sentinel =
  'names a Sentinel (redis_mode:sentinel), which holds no data; ' +
  'set it to the primary that the Sentinel watches, by a name or proxy that follows it';

async function select(redis: Redis, database: number): Promise<void> {
  try {
    await redis.select(database);
  } catch (error) {
    const reply = replyOf(error);
    if (reply === null) throw error;
    throw unusable(
      `names the database ${database}, and Redis replies "${reply}"; set a number below "databases" of its configuration ` +
        '(16 by default), for example redis://user:password@host:6379/0',
    );
  }
}

const unusable = (why: string): ConfigurationError => new ConfigurationError([`REDIS_URL ${why}`]);
