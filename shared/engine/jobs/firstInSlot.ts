import type { Config } from '../../../config/env';
import type { Clock } from '../clock';
import type { JobQueues } from './JobQueues';

/**
 * Tests whether this process is the first to ask in the current time slot, so that one of all processes runs a scheduled task. A process
 * that dies leaves the next slot to another.
 * @throws the error of Redis.
 */
export async function isFirstInSlot(
  { queues, clock, config }: { queues: JobQueues; clock: Clock; config: Pick<Config, 'redisPrefix'> },
  what: string,
  slotMs: number,
): Promise<boolean> {
  const slot = Math.floor(clock.now().getTime() / slotMs);
  return (await queues.redis.set(`${config.redisPrefix}:${what}:${slot}`, '1', 'PX', 10 * slotMs, 'NX')) !== null;
}
