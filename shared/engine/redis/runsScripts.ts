import type { RedisClient } from './openClient';

/** Writes a key by a script, as BullMQ does. */
const WRITE = "return redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])";
const WRITTEN_FOR_MS = 60_000;

/**
 * Checks that Redis runs a script that writes. A ping is not enough: a replica (`READONLY`), a full server (`OOM`), a node of a
 * cluster (`MOVED`) and an account without scripts (`NOPERM`) all reply to one.
 * @throws the error reply, or the error of the connection.
 */
export async function runsScripts(redis: RedisClient, prefix: string): Promise<void> {
  await redis.eval(WRITE, 1, `${prefix}:ready`, WRITTEN_FOR_MS);
}
