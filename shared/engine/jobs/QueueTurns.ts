import { queueTurns, type RedisQueueName } from '../../../config/queues';
import type { QueuePrefixes } from '../../../config/redisKeys';
import type { Logger } from '../log';
import type { RedisClient } from '../redis';

/** The company of an entry, and whether a request waits for it. */
export interface Flow {
  companyId: number;
  isWaitedFor: boolean;
}

/**
 * BullMQ's priority of an entry that has no turn yet: it comes after all others. The lowest priority runs first, and 2 to the power
 * of 21 is the highest number that BullMQ takes from a program.
 */
export const UNPLACED = 2 ** 21 - 1;

/**
 * BullMQ's score of a waiting entry is the priority times 2 to the power of 32, plus a number that rises with each entry. A turn is a
 * time in milliseconds, and a priority a thousand seconds: it has a fraction, and lasts for 66 years of work. In Redis nothing bounds
 * it, so turns rise for ever, while jobs wait. Past UNPLACED, scores exceed 2 to the power of 53, and lose the last bits of the number
 * that rises, which decides between equal turns only. Turn 0 would be BullMQ's entry without a priority.
 */
const COMMON = `
local unit, perMs, unplaced = 4294967296, 4294, ${UNPLACED}
local function read(flow)
  local stored = redis.call('HMGET', flow, 'finish', 'mean', 'charged', 'count')
  return tonumber(stored[1] or 0), tonumber(stored[2] or ARGV[1]), tonumber(stored[3] or 0), tonumber(stored[4] or 0)
end
local function write(flow, finish, mean, charged, count)
  redis.call('HSET', flow, 'finish', finish, 'mean', mean, 'charged', charged, 'count', count)
  redis.call('PEXPIRE', flow, ARGV[2])
end
local function reach(latest, turn)
  local furthest = math.max(tonumber(redis.call('GET', latest) or 1), turn)
  redis.call('SET', latest, furthest, 'PX', ARGV[2])
  return furthest
end
`;

/**
 * Gives an entry its turn: the end of the work that its flow has added, but not before the turn that runs next. If nothing waits, that is
 * `latest`: the furthest turn that was next, or ran. A flow that saves may begin `saved` before `latest`. (If it could begin that much
 * before the turn that runs next, each new flow would go before those that saved and still wait.) Its new entries may also begin at the
 * turn of the delayed entry that returns first, because delayed entries keep their turns while `latest` goes on. (An entry that is deferred
 * may not: a few that are deferred again and again would hold turns back.) The flow is charged the recent average of its work. The
 * surcharge for work that no request waits for comes before the work, so that the first job of a company also comes after jobs with a
 * waiting request. If nothing else waits, unsettled entries of the flow, left by a killed worker, are dropped. Returns how many entries the
 * flow has.
 */
const PLACE = `${COMMON}
local jobKey, waiting, delayed, latest, flow = unpack(KEYS)
local id, weight, isAgain, saved = ARGV[3], tonumber(ARGV[4]), ARGV[5] == '1', tonumber(ARGV[6])
local given = redis.call('HGET', jobKey, 'priority')
if not given or (not isAgain and tonumber(given) ~= unplaced) then return 0 end
local head = tonumber(redis.call('ZRANGE', waiting, 0, 0, 'WITHSCORES')[2])
if head and math.floor(head / unit) == unplaced then
  head = tonumber(redis.call('ZRANGEBYSCORE', waiting, (unplaced + 1) * unit, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2])
end
local finish, mean, charged, count = read(flow)
if not head then charged, count = 0, 0 end
local next = head and math.floor(head / perMs)
local furthest = reach(latest, next or 1)
local first = math.min(next or furthest, furthest - saved)
local returning = saved > 0 and not isAgain and redis.call('ZRANGE', delayed, 0, 0)[1]
if returning then
  local itsTurn = redis.call('HGET', jobKey:sub(1, -1 - #id) .. returning, 'priority')
  first = math.min(first, math.floor(tonumber(itsTurn or unplaced) * unit / perMs))
end
local start = math.max(first, finish, 1)
local cost = math.ceil(math.max(mean, 1))
local turn = start + cost * (weight - 1)
if math.floor(turn * perMs / unit) == unplaced then
  start = math.ceil((unplaced + 1) * unit / perMs)
  turn = start + cost * (weight - 1)
end
write(flow, start + cost * weight, mean, charged + cost * weight, count + 1)
redis.call('HSET', jobKey, 'priority', turn * perMs / unit)
local score = redis.call('ZSCORE', waiting, id)
if score then redis.call('ZADD', waiting, turn * perMs + tonumber(score) % unit, id) end
return count + 1
`;

/** Replaces the charge of a flow for some entries by the time that they took, up to the largest debt. */
const SETTLE = `${COMMON}
local latest, flow = KEYS[1], KEYS[2]
local weight, entries, runs, tookMs, mostOwed = unpack(ARGV, 3)
local finish, mean, charged, count = read(flow)
local settled = math.min(tonumber(entries), count)
local refund = count > 0 and charged / count * settled or 0
-- Entries that were removed before they ran move nobody's turns.
local furthest = reach(latest, tonumber(runs) > 0 and math.floor(finish - charged) or 1)
if tonumber(runs) > 0 then mean = mean + (tookMs / runs - mean) * (1 - 0.75 ^ runs) end
local most = math.max(finish, furthest + mostOwed * weight)
finish = math.max(0, math.min(most, math.floor(finish + tookMs * weight - refund)))
write(flow, finish, mean, charged - refund, count - settled)
`;

/** The unsettled time of a flow's entries. */
interface Took {
  readonly queue: RedisQueueName;
  readonly flow: Flow;
  entries: number;
  runs: number;
  ms: number;
}

/**
 * Companies share the slots of a queue by the time that their jobs hold them: start-time fair queueing (Goyal, Vin, Cheng 1996) by BullMQ's
 * priorities. A job's turn is the time at which the jobs before it would have ended, if its company had a worker of its own. So while one
 * company's job of ten seconds runs, another company gets ten seconds of jobs, be it one or a thousand; and a company that did not wait
 * comes right after the job that is next.
 *
 * How long a job takes is known when it has ended. Until then its company is charged the recent average of its jobs. The difference is
 * settled at the end. Jobs that a request waits for are a flow of their own, and the others cost {@link queueTurns.costOfOthers} times as
 * much: beside them, those still get a third of the time. After a loss of the data in Redis, all companies begin with equal turns.
 */
export class QueueTurns {
  private readonly took = new Map<string, Took>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly redis: RedisClient,
    private readonly prefixes: QueuePrefixes,
    private readonly log: Logger,
  ) {}

  /**
   * Gives the entry, which was added with the priority {@link UNPLACED}, its turn. Does nothing to an entry that has one, unless it
   * `isAgain`: it is deferred, and gets another. An entry that is never given one, because the process ended in between, runs when no other
   * waits. Returns how many entries the flow has then; 0 when nothing was done.
   */
  async place(queue: RedisQueueName, jobId: string, flow: Flow, isAgain = false): Promise<number> {
    const queueKey = `${this.prefixes[queue]}:${queue}`;
    const ofQueue = [jobId, 'prioritized', 'delayed'].map((name) => `${queueKey}:${name}`);
    const keys = [...ofQueue, this.latestKey(queue), this.flowKey(queue, flow)];
    const { firstMs, keptMs, savedMs } = queueTurns;
    const numbers = [firstMs, keptMs, jobId, weightOf(flow), isAgain ? '1' : '0', flow.isWaitedFor ? savedMs : 0];
    return (await this.redis.eval(PLACE, keys.length, ...keys, ...numbers)) as number;
  }

  /** Returns how many entries the flow has. */
  async entriesOf(queue: RedisQueueName, flow: Flow): Promise<number> {
    return Number(await this.redis.hget(this.flowKey(queue, flow), 'count'));
  }

  /** Records for how long an entry held its slot. Reported to Redis soon; never throws. */
  ran(queue: RedisQueueName, flow: Flow, ms: number): void {
    this.add(queue, flow, { runs: 1, ms: Math.min(ms, queueTurns.mostMs) });
  }

  /** Records that an entry was removed before it ran: its flow is not charged. */
  removed(queue: RedisQueueName, flow: Flow): void {
    this.add(queue, flow, { runs: 0, ms: 0 });
  }

  /** Reports to Redis what was recorded. Never throws. */
  async settle(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const all = [...this.took.values()];
    this.took.clear();
    const { firstMs, keptMs, mostMs } = queueTurns;
    const settled = all.map(async ({ queue, flow, entries, runs, ms }) => {
      const keys = [this.latestKey(queue), this.flowKey(queue, flow)];
      const numbers = [firstMs, keptMs, weightOf(flow), entries, runs, Math.ceil(ms), mostMs];
      await this.redis.eval(SETTLE, keys.length, ...keys, ...numbers);
    });
    for (const end of await Promise.allSettled(settled)) {
      if (end.status === 'rejected') this.log.debug({ err: end.reason as unknown }, 'what jobs took was not counted');
    }
  }

  private add(queue: RedisQueueName, flow: Flow, { runs, ms }: { runs: number; ms: number }): void {
    const key = this.flowKey(queue, flow);
    const took = this.took.get(key) ?? { queue, flow, entries: 0, runs: 0, ms: 0 };
    this.took.set(key, took);
    took.entries += 1;
    took.runs += runs;
    took.ms += ms;
    this.timer ??= setTimeout(() => void this.settle(), queueTurns.settleEveryMs).unref();
  }

  private latestKey(queue: RedisQueueName): string {
    return `${this.prefixes[queue]}:turns:${queue}`;
  }

  private flowKey(queue: RedisQueueName, { companyId, isWaitedFor }: Flow): string {
    return `${this.prefixes[queue]}:turns:${queue}:${companyId}${isWaitedFor ? ':waited-for' : ''}`;
  }
}

const weightOf = ({ isWaitedFor }: Flow): number => (isWaitedFor ? 1 : queueTurns.costOfOthers);
