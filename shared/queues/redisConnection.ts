import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from '../log';

/**
 * - `producer`: fails at once when Redis is away (the row in MySQL waits, and no command is left to run later);
 * - `blocking`: for BullMQ's workers and event readers, which wait and reconnect for ever.
 */
export type ConnectionKind = 'producer' | 'blocking';

const kinds: Record<ConnectionKind, RedisOptions> = {
  producer: { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 3_000 },
  blocking: { maxRetriesPerRequest: null },
};

/** Reconnects every second, so that an outage ends when Redis is back and not a long backoff later. */
export function connectRedis(url: string, kind: ConnectionKind, log: Logger): Redis {
  const redis = new Redis(url, { ...kinds[kind], retryStrategy: () => 1_000, connectTimeout: 3_000 });
  let down = false;
  redis.on('error', (error: Error) => {
    if (!down) log.warn({ err: error.message, kind }, 'Redis cannot be reached');
    down = true;
  });
  redis.on('ready', () => {
    if (down) log.info({ kind }, 'Redis is back');
    down = false;
  });
  return redis;
}
