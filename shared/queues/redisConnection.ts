import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from '../log';

/**
 * - `producer`: fails at once when Redis is away (the row in MySQL waits, and no command is left to run later);
 * - `blocking`: for BullMQ's workers and event readers, which wait and reconnect for ever.
 */
export type ConnectionKind = 'producer' | 'blocking';

/**
 * `socketTimeout` ends a connection on which a command has had no reply for that long, and a new one is made: a firewall that
 * has forgotten a connection reports nothing. BullMQ's blocking commands get a reply within 10 seconds.
 */
const kinds: Record<ConnectionKind, RedisOptions> = {
  producer: { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 3_000, socketTimeout: 3_000 },
  blocking: { maxRetriesPerRequest: null, socketTimeout: 13_000 },
};

/** What a connection and the copies that BullMQ makes of it have in common: whether they may connect again. */
const lives = new WeakMap<Redis, { ended: boolean }>();

/** Reconnects every second, so that an outage ends when Redis is back and not a long backoff later. */
export function connectRedis(url: string, kind: ConnectionKind, log: Logger): Redis {
  const life = { ended: false };
  const retryStrategy = (): number | null => (life.ended ? null : 1_000);
  const redis = new Redis(url, { ...kinds[kind], retryStrategy, connectTimeout: 3_000, keepAlive: 5_000 });
  lives.set(redis, life);
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

/** Ends a connection of {@link connectRedis} for good, also while it waits to reconnect. */
export function disconnectRedis(redis: Redis): void {
  const life = lives.get(redis);
  if (life !== undefined) life.ended = true;
  redis.disconnect();
}
