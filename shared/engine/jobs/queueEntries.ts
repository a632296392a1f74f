import type { RedisQueueName } from '../../../config/queues';
import type { JobQueues } from './JobQueues';

/**
 * The time at which the oldest waiting entry was added: the last of the list, or one of the 1,000 with a turn that run next. Those of
 * a company run in their order, so its oldest one is among its first.
 */
const OLDEST = `
local oldest = false
local function look(id)
  local at = id and tonumber(redis.call('HGET', ARGV[1] .. id, 'timestamp'))
  if at and (not oldest or at < oldest) then oldest = at end
end
look(redis.call('LINDEX', KEYS[1], -1))
for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, 999)) do look(id) end
return oldest and tostring(oldest)
`;

/** Returns those of the entries that are not in their queue, whether waiting, delayed or in progress. */
export async function missingEntries<Ref extends { queue: RedisQueueName; jobId: string }>(
  queues: JobQueues,
  entries: readonly Ref[],
): Promise<Ref[]> {
  const known = await Promise.all(entries.map(({ queue, jobId }) => queues.redis.exists(queues.keyOf(queue, jobId))));
  return entries.filter((_, index) => known[index] === 0);
}

/** How many entries queues have, and when the oldest waiting one was added, by the clock of the machine that added it. */
export interface EntryCounts {
  waiting: number;
  delayed: number;
  active: number;
  oldest: Date | null;
}

/** Counts the entries of several queues together. @throws when Redis is unreachable. */
export async function countEntries(queues: JobQueues, names: readonly RedisQueueName[]): Promise<EntryCounts> {
  const total: EntryCounts = { waiting: 0, delayed: 0, active: 0, oldest: null };
  for (const name of names) {
    const keys = ['wait', 'prioritized', ''].map((part) => queues.keyOf(name, part));
    const [{ waiting = 0, delayed = 0, active = 0 }, addedAt] = await Promise.all([
      queues.counts(name),
      queues.redis.eval(OLDEST, 2, ...keys),
    ]);
    total.waiting += waiting;
    total.delayed += delayed;
    total.active += active;
    const oldest = addedAt === null ? null : new Date(Number(addedAt));
    if (oldest !== null && (total.oldest === null || oldest < total.oldest)) total.oldest = oldest;
  }
  return total;
}
