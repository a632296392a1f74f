import type { Redis } from 'ioredis';
import { ConfigurationError } from '../../../config/env';
import { readRedisUrl } from '../../../config/redisUrl';
import { guardStart } from '../process';
import type { Logger } from '../log';
import { connectOnce } from './connectOnce';
import { replyOf } from './replies';

/**
 * Checks while the process starts that REDIS_URL names a server that can hold the queues. If Redis is unreachable or refuses
 * the password, the process starts all the same, and the check is repeated until it has a result.
 * @throws {ConfigurationError} for a Redis Cluster, a Sentinel or a missing database, if the first check finds it.
 */
export function guardRedis(redisUrl: string, log: Logger): Promise<void> {
  return guardStart(async () => {
    try {
      const { redis } = await openUsableRedis(redisUrl);
      redis.disconnect();
      return true;
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      // Only debug: the queues' own connections log a warning.
      log.debug({ err: error }, 'Redis could not be checked; the check is repeated');
      return false;
    }
  });
}

/**
 * Connects to a server that can hold the queues; returns the connection, for the caller to close, and the text of `INFO`.
 * @throws {ConfigurationError} for a Redis Cluster, a Sentinel or a missing database; any other error if Redis is unreachable
 * or refuses the password.
 */
export async function openUsableRedis(redisUrl: string): Promise<{ redis: Redis; info: string }> {
  const { url, database } = readRedisUrl(redisUrl);
  const redis = await connectOnce(url);
  try {
    const info = await redis.info();
    if (/^redis_mode:sentinel\r?$/m.test(info)) throw unusable(sentinel);
    if (/^cluster_enabled:1\r?$/m.test(info)) throw unusable(cluster);
    if (database > 0) await select(redis, database);
    return { redis, info };
  } catch (error) {
    redis.disconnect();
    throw error;
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
