import type { Redis } from 'ioredis';
import { queueTurns } from '../../../config/queues';

/** Whose entry it is, and whether a request waits for it. */
export interface Flow {
  companyId: number;
  isWaitedFor: boolean;
}

/**
 * BullMQ's priority of an entry that has no turn yet: it comes after all others. The lowest priority runs first, and 2 to the power
 * of 21 is the highest number that BullMQ takes.
 */
export const UNPLACED = 2 ** 21 - 1;

/**
 * Gives an entry its turn, once. `first` is the turn of the entry that runs next. An entry comes `cost` turns after the one that its
 * flow added last, but not before `first`. BullMQ's scores are the priority times 2 to the power of 32 plus a number that rises.
 */
const PLACE = `
local jobKey, waiting, turns = KEYS[1], KEYS[2], KEYS[3]
local id, flow, cost, unplaced = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if redis.call('HGET', jobKey, 'priority') ~= ARGV[4] then return end
local unit = 4294967296
local head = redis.call('ZRANGE', waiting, 0, 0, 'WITHSCORES')[2]
local first = head and math.floor(head / unit) or unplaced
if first == unplaced then
  first = 1
  redis.call('DEL', turns)
end
local last = tonumber(redis.call('HGET', turns, flow) or 0)
local turn = math.min(math.max(first - 1, last) + cost, unplaced - 1)
redis.call('HSET', turns, flow, turn)
redis.call('HSET', jobKey, 'priority', turn)
local score = redis.call('ZSCORE', waiting, id)
if score then redis.call('ZADD', waiting, turn * unit + score % unit, id) end
`;

/**
 * Companies take turns at a queue, however many jobs one of them has waiting: start-time fair queueing (Goyal, Vin, Cheng 1996) by
 * BullMQ's priorities. A company's n-th waiting job comes after the (n-1)-th of every company that waits; one that did not wait
 * comes right after the job that is next. Jobs that a request waits for are a flow of their own, and cheaper than the others, which
 * still get one turn in {@link queueTurns.costOfOthers}. Turns are counted from 1 again whenever nothing waits; past the highest one
 * the order is that of arrival.
 */
export class QueueTurns {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
  ) {}

  /**
   * Gives the entry, which was added with the priority {@link UNPLACED}, its turn. Does nothing to an entry that has one. An entry
   * that is never given one, because the process ended in between, runs when no other waits.
   */
  async place(queue: string, jobId: string, { companyId, isWaitedFor }: Flow): Promise<void> {
    const queueKey = `${this.prefix}:${queue}`;
    const keys = [`${queueKey}:${jobId}`, `${queueKey}:prioritized`, `${this.prefix}:turns:${queue}`];
    const flow = isWaitedFor ? `${companyId}:waited-for` : `${companyId}`;
    const cost = isWaitedFor ? 1 : queueTurns.costOfOthers;
    await this.redis.eval(PLACE, keys.length, ...keys, jobId, flow, cost, UNPLACED);
  }
}
