import { redisQueueNames, type RedisQueueName } from './queues';
import { readRedisUrl } from './redisUrl';

/** The prefix of the keys of each queue. */
export type QueuePrefixes = Readonly<Record<RedisQueueName, string>>;

/** The prefixes of the keys in Redis. */
export interface RedisKeys {
  /** Prefixes of the keys of each queue. */
  readonly queuePrefixes: QueuePrefixes;
  /** Prefix of all other keys. No command uses two of them. */
  readonly redisPrefix: string;
}

/**
 * Returns the prefixes. A Redis script may use keys of one hash slot only, and the part of a key in braces chooses the slot. In a cluster
 * each queue has a slot of its own, `{invoicing:email}`, so that queues are spread over the nodes. The other keys have no braces, so each
 * has its own slot. On a single server `REDIS_PREFIX` is used as given.
 */
export function redisKeys(redisUrl: string, prefix: string): RedisKeys {
  const name = prefix.replace(/[{}]/g, '');
  const isCluster = readRedisUrl(redisUrl).mode === 'cluster';
  const prefixOf = (queue: RedisQueueName): string => (isCluster ? `{${name}:${queue}}` : prefix);
  return {
    queuePrefixes: Object.fromEntries(
      redisQueueNames.map((queue) => [queue, prefixOf(queue)]),
    ) as unknown as QueuePrefixes,
    redisPrefix: isCluster ? name : prefix,
  };
}
