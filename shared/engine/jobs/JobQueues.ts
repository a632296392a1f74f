import { ErrorCode, Queue, type Job } from 'bullmq';
import { LRUCache } from 'lru-cache';
import { redisQueueNames, type RedisQueueName } from '../../../config/queues';
import type { QueuePrefixes } from '../../../config/redisKeys';
import { ServiceUnavailable } from '../errors';
import type { Logger } from '../log';
import { QueueTurns, UNPLACED, type Flow } from './QueueTurns';
import { disconnectRedis, replyCodeOf, runsScripts, type RedisClient } from '../redis';

/** A flow with this many entries in a queue is full: its further work stays in MySQL, where scans find it. About 1 MB of Redis. */
const MOST_OF_FLOW = 1_000;
/** For how long a process knows that a flow is full, and of how many flows. */
const KNOWN_FOR_MS = 1_000;
const MOST_FLOWS = 10_000;

/** KEYS: an entry. Does nothing if another worker has ended it: a hash with `ats` alone would count as queued for BullMQ. */
const UNCOUNT = "if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HINCRBY', KEYS[1], 'ats', -1) end";

export interface QueuedJob {
  queue: RedisQueueName;
  name: string;
  /** BullMQ's id of the job: not all digits, and without a colon. Adding an id that is already queued changes nothing. */
  jobId: string;
  data: object;
  delayMs?: number;
  /** Companies share the queue fairly ({@link QueueTurns}). Jobs without a flow run before all others. */
  flow?: Flow;
}

/** Where BullMQ keeps the entries of a queue. Those with a turn or a priority wait as `prioritized`. */
export type EntryState = 'active' | 'wait' | 'prioritized' | 'delayed';

export interface Entries {
  readonly jobs: readonly Job[];
  /** The number of all entries in that state. */
  readonly total: number;
}

/** Adds jobs to the queues. Everything that must not be lost is a row in MySQL; an entry in Redis is only a hint. */
export class JobQueues {
  private readonly queues: Record<RedisQueueName, Queue>;
  private readonly turns: QueueTurns;
  private readonly full = new LRUCache<string, true>({ max: MOST_FLOWS, ttl: KNOWN_FOR_MS });

  constructor(
    readonly redis: RedisClient,
    private readonly prefixes: QueuePrefixes,
    log: Logger,
  ) {
    this.turns = new QueueTurns(redis, prefixes, log);
    this.queues = Object.fromEntries(
      redisQueueNames.map((name) => {
        const queue = new Queue(name, { connection: redis, prefix: prefixes[name], skipVersionCheck: true });
        queue.on('error', (error) => log.debug({ err: error.message, queue: name }, 'queue error'));
        return [name, queue];
      }),
    ) as Record<RedisQueueName, Queue>;
  }

  /** Returns BullMQ's key of an entry, or of the entries in one state. */
  keyOf(queue: RedisQueueName, name: string): string {
    return this.queues[queue].toKey(name);
  }

  get isConnected(): boolean {
    return this.redis.status === 'ready';
  }

  /** Tests whether the flow has {@link MOST_OF_FLOW} entries, as far as this process knows. */
  isFull(queue: RedisQueueName, flow: Flow): boolean {
    return this.full.has(nameOf(queue, flow));
  }

  /** Reads from Redis whether the flow has fewer than {@link MOST_OF_FLOW} entries. @throws the error of Redis. */
  async hasRoom(queue: RedisQueueName, flow: Flow): Promise<boolean> {
    return (await this.turns.entriesOf(queue, flow)) < MOST_OF_FLOW;
  }

  /** @throws {ServiceUnavailable} immediately when Redis is unreachable. If only its reply was late, the job may run all the same. */
  async add({ queue, name, jobId, data, delayMs = 0, flow }: QueuedJob): Promise<void> {
    if (!this.isConnected) throw new ServiceUnavailable('the job queue');
    try {
      // Ended jobs are removed immediately, so that the same id can be queued again. The row (or the stored PDF) is the record.
      const options = { jobId, delay: delayMs, removeOnComplete: true, removeOnFail: true };
      if (flow === undefined) {
        await this.queues[queue].add(name, data, options);
        return;
      }
      await this.queues[queue].add(name, { ...data, flow }, { ...options, priority: UNPLACED });
      const ofFlow = await this.turns.place(queue, jobId, flow);
      if (ofFlow >= MOST_OF_FLOW) this.full.set(nameOf(queue, flow), true);
    } catch (error) {
      throw new ServiceUnavailable('the job queue', error);
    }
  }

  /** Returns for each entry whether it waits with its turn: adding it again would change nothing. All false without Redis. */
  async areWaiting(entries: readonly { queue: RedisQueueName; jobId: string }[]): Promise<boolean[]> {
    if (!this.isConnected) return entries.map(() => false);
    // No pipeline: the queues of a cluster are on several nodes.
    const replies = await Promise.allSettled(
      entries.map(({ queue, jobId }) =>
        Promise.all([
          this.redis.hget(this.keyOf(queue, jobId), 'priority'),
          this.redis.zscore(this.keyOf(queue, 'delayed'), jobId),
        ]),
      ),
    );
    return replies.map((reply) => {
      if (reply.status === 'rejected') return false;
      const [priority, delayed] = reply.value;
      return priority !== null && Number(priority) !== UNPLACED && delayed === null;
    });
  }

  /** Records for how long an entry held its slot. `data` are the data of the entry. Never throws. */
  ran(queue: RedisQueueName, data: unknown, ms: number): void {
    const flow = flowOf(data);
    if (flow !== undefined) this.turns.ran(queue, flow, ms);
  }

  /** Gives a deferred entry another turn. @throws the error of Redis. */
  async placeAgain(queue: RedisQueueName, jobId: string, data: unknown): Promise<void> {
    const flow = flowOf(data);
    if (flow !== undefined) await this.turns.place(queue, jobId, flow, true);
  }

  /** Reduces the number of starts of a running entry, which BullMQ has raised when it handed the entry out. @throws the error of Redis. */
  async uncountStart(queue: RedisQueueName, jobId: string): Promise<void> {
    await this.redis.eval(UNCOUNT, 1, this.keyOf(queue, jobId));
  }

  /**
   * Removes a waiting job of the given flow. Does nothing to a running one.
   * @throws {ServiceUnavailable} when Redis is unreachable.
   */
  async remove(queue: RedisQueueName, jobId: string, flow?: Flow): Promise<void> {
    try {
      // BullMQ says 1 also for a job that is not there.
      const isThere = (await this.redis.exists(this.keyOf(queue, jobId))) > 0;
      if (isThere && (await this.queues[queue].remove(jobId)) > 0 && flow) this.turns.removed(queue, flow);
    } catch (error) {
      throw new ServiceUnavailable('the job queue', error);
    }
  }

  /**
   * Starts a delayed entry now; does nothing to any other. BullMQ computes the delay by the clock of the machine that added the entry, which
   * may be wrong. @throws the error of Redis.
   */
  async promote(queue: RedisQueueName, jobId: string): Promise<void> {
    const job = (await this.queues[queue].getJob(jobId)) as Job | undefined;
    await job?.promote().catch((error: Error & { code?: unknown }) => {
      // It waits already, or a worker has taken it.
      if (error.code !== ErrorCode.JobNotInState) throw error;
    });
  }

  /** Checks that Redis {@link runsScripts}, with the keys of each queue. @throws {ServiceUnavailable} with the code of the reply. */
  async check(): Promise<void> {
    if (!this.isConnected) throw new ServiceUnavailable('Redis');
    try {
      await Promise.all([...new Set(Object.values(this.prefixes))].map((prefix) => runsScripts(this.redis, prefix)));
    } catch (error) {
      const code = replyCodeOf(error);
      const problem = code === null ? undefined : `refuses what the queues need (${code})`;
      throw new ServiceUnavailable('Redis', error, problem);
    }
  }

  /** Lets no worker start a job of this queue for `ms`. Works for queues whose workers have a rate limit. @throws the error of Redis. */
  async rest(queue: RedisQueueName, ms: number): Promise<void> {
    await this.queues[queue].rateLimit(ms);
  }

  /** Tests whether a worker could start an entry now: one waits, and no rate limit stops the queue. @throws the error of Redis. */
  async hasReadyEntries(queue: RedisQueueName): Promise<boolean> {
    const [{ waiting = 0 }, restMs] = await Promise.all([this.counts(queue), this.queues[queue].getRateLimitTtl()]);
    return waiting > 0 && restMs <= 0;
  }

  /** Counts the jobs of a queue by state, for monitoring. */
  async counts(queue: RedisQueueName): Promise<Record<string, number>> {
    const { waiting = 0, prioritized = 0, ...others } = await this.queues[queue].getJobCounts();
    return { ...others, waiting: waiting + prioritized };
  }

  /**
   * Returns a part of the entries of a queue in one state, those that run next first, and their total.
   * @throws {ServiceUnavailable} when Redis is unreachable.
   */
  async entries(queue: RedisQueueName, state: EntryState, from: number, limit: number): Promise<Entries> {
    if (!this.isConnected) throw new ServiceUnavailable('Redis');
    const total = await this.queues[queue].getJobCountByTypes(state);
    const jobs = from < total ? await this.queues[queue].getJobs(state, from, from + limit - 1, true) : [];
    // An entry that ended between the two commands is missing.
    return { total, jobs: (jobs as (Job | undefined)[]).filter((job) => job !== undefined) };
  }

  /**
   * Returns an entry of a queue, or null.
   * @throws {ServiceUnavailable} when Redis is unreachable.
   */
  async entry(queue: RedisQueueName, jobId: string): Promise<Job | null> {
    if (!this.isConnected) throw new ServiceUnavailable('Redis');
    return ((await this.queues[queue].getJob(jobId)) as Job | undefined) ?? null;
  }

  async close(): Promise<void> {
    await Promise.allSettled(Object.values(this.queues).map((queue) => queue.close()));
    disconnectRedis(this.redis);
  }
}

/** Returns the flow of an entry. Those of no company, such as scans, have none. */
export const flowOf = (data: unknown): Flow | undefined => (data as { flow?: Flow } | undefined)?.flow;

const nameOf = (queue: RedisQueueName, { companyId, isWaitedFor }: Flow): string =>
  `${queue}:${companyId}:${isWaitedFor}`;
