import { redisQueueNames, type RedisQueueName } from './queues';
import { readRedisUrl } from './redisUrl';

/** What the keys of each queue begin with. */
export type QueuePrefixes = Readonly<Record<RedisQueueName, string>>;

/** What the keys in Redis begin with. */
export interface RedisKeys {
  /** Of the keys of each queue. */
  readonly queuePrefixes: QueuePrefixes;
  /** Of all other keys, none of which is used together with another one. */
  readonly redisPrefix: string;
}

/**
 * Names the keys. A script of Redis may touch keys of one slot alone, and a slot is chosen by the part of a key in braces. In a cluster each
 * queue is a slot of its own, `{invoicing:email}`, so that queues spread over the nodes, and so do the other keys, which have no braces. One
 * server keeps all of them under `REDIS_PREFIX` as it is.
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
