import {
  jobQueueNames,
  queueNames,
  queues,
  rowlessQueueNames,
  type JobQueueName,
  type QueueName,
} from '../../../config/queues';
import { type Clock, InTime } from '../clock';
import { countEntries, missingEntries, type EntryCounts } from './queueEntries';
import type { Config } from '../../../config/env';
import type { Sql } from '../db';
import type { Logger } from '../log';
import type { JobQueues } from './JobQueues';
import { firstDueJobs, stillPending, type DueJob } from './dueJobs';
import { JobCounts, type StateCounts } from './JobCounts';
import type { JobState } from './jobStates';
import { bullJobId } from './Outbox';
import type { QueueCount, QueueCounter } from './QueueCounter';
import { pausedQueues } from './queuePauses';

/** How much work a queue has, in the whole installation. Null: the server that knows is unreachable. */
export type QueueSignal = {
  readonly name: QueueName;
  /** Seconds since the oldest job that has not started was due; 0 if none is due. */
  readonly oldestSeconds: number | null;
  readonly paused: boolean | null;
} & Readonly<Record<JobState, number | null>>;

/** The signals of all queues at one time. */
export interface Signals {
  readonly queues: readonly QueueSignal[];
  /** Seconds since the oldest due job that is not in its queue in Redis was due; 0 if all are. Null: unknown. */
  readonly outboxLagSeconds: number | null;
  readonly reachable: { readonly mysql: boolean; readonly redis: boolean };
}

/** The signals are computed at most once in this time. */
const FRESH_MS = 2_000;
/** After this long a server counts as unreachable, so that a reader has a response within two seconds. */
const DEADLINE_MS = 1_200;
/** The most due jobs of each queue that are looked up in Redis, the oldest first. */
const LOOKED_UP = 20;

interface Rows {
  counts: ReadonlyMap<JobQueueName, StateCounts>;
  due: readonly DueJob[];
  counted: ReadonlyMap<QueueName, QueueCount>;
  paused: ReadonlyMap<QueueName, Date>;
}

type Entries = ReadonlyMap<QueueName, EntryCounts>;

/**
 * Reads how much work waits. Jobs are counted in MySQL ({@link JobCounts}), the work of other tables by counters. Renders and scans have no
 * rows and are counted in Redis. A failed one leaves nothing there, so none is ever `failed` or `uncertain`.
 */
export class QueueSignals {
  private readonly jobCounts: JobCounts;
  private readonly mysql = new InTime(DEADLINE_MS);
  private readonly redis = new InTime(DEADLINE_MS);
  private latest: { at: number; signals: Promise<Signals> } | null = null;

  constructor(
    private readonly services: {
      sql: Sql;
      queues: JobQueues;
      clock: Clock;
      config: Pick<Config, 'queuePrefixes'>;
      log: Logger;
    },
    private readonly counters: readonly QueueCounter[],
  ) {
    this.jobCounts = new JobCounts(services.sql, jobQueueNames);
  }

  /** Returns the signals, computed at most two seconds ago. Never throws: signals of an unreachable server are null. */
  read(): Promise<Signals> {
    const at = performance.now();
    if (this.latest === null || at - this.latest.at >= FRESH_MS) this.latest = { at, signals: this.compute() };
    return this.latest.signals;
  }

  private async compute(): Promise<Signals> {
    const now = this.services.clock.now();
    const failed = (server: string) => (error: unknown) =>
      this.services.log.debug({ err: error, server }, 'queue signals could not be read');
    const [rows, entries] = await Promise.all([
      this.mysql.result(() => this.readRows(now), failed('MySQL')),
      this.redis.result(() => this.readEntries(), failed('Redis')),
    ]);
    const outboxLag = rows && (await this.mysql.result(() => this.outboxLag(rows, entries, now), failed('MySQL')));
    return {
      queues: queueNames.map((name) =>
        this.isCounted(name) ? countedSignal(name, rows, now) : signalOf(name, rows, entries, now),
      ),
      outboxLagSeconds: outboxLag,
      reachable: { mysql: rows !== null, redis: entries !== null },
    };
  }

  private async readRows(now: Date): Promise<Rows> {
    const { sql } = this.services;
    const [counts, due, paused, counted] = await Promise.all([
      this.jobCounts.read(now),
      firstDueJobs(sql, jobQueueNames, now, LOOKED_UP),
      pausedQueues(sql),
      Promise.all(this.counters.map(async ({ queue, count }) => [queue, await count(sql, now)] as const)),
    ]);
    return { counts, due, paused, counted: new Map(counted) };
  }

  private isCounted(name: QueueName): boolean {
    return this.counters.some(({ queue }) => queue === name);
  }

  private async readEntries(): Promise<Entries> {
    const { queues: redis, config } = this.services;
    const inRedis = rowlessQueueNames.filter((name) => !this.isCounted(name));
    return new Map(
      await Promise.all(
        inRedis.map(
          async (name) => [name, await countEntries(redis, config.queuePrefixes, queues[name].inRedis)] as const,
        ),
      ),
    );
  }

  /** Jobs of a paused queue are not queued. While Redis is unreachable, no due job counts as being in its queue. */
  private async outboxLag(rows: Rows, entries: Entries | null, now: Date): Promise<number> {
    const { queues, config, sql } = this.services;
    const due = rows.due.filter(({ queue }) => !rows.paused.has(queue));
    const refs = due.map((job) => ({ ...job, jobId: bullJobId(job.id) }));
    const missing = entries === null ? due : await missingEntries(queues.redis, config.queuePrefixes, refs);
    // A job that was started meanwhile has left its queue as well.
    return ageOfOldest(await stillPending(sql, missing), now);
  }
}

function countedSignal(name: QueueName, rows: Rows | null, now: Date): QueueSignal {
  const { oldest = null, ...counts } = rows?.counted.get(name) ?? unknownCounts;
  const oldestSeconds = rows && ageOfOldest(oldest === null ? [] : [{ dueAt: oldest }], now);
  return { name, ...counts, oldestSeconds, paused: rows && rows.paused.has(name) };
}

const unknownCounts = { waiting: null, scheduled: null, running: null, failed: null, uncertain: null, oldest: null };

function signalOf(name: QueueName, rows: Rows | null, entries: Entries | null, now: Date): QueueSignal {
  const paused = rows && rows.paused.has(name);
  if (!queues[name].hasRows) {
    const { waiting = null, delayed = null, active = null, oldest } = entries?.get(name) ?? {};
    // BullMQ uses the machine's clock.
    const oldestSeconds = entries && ageOfOldest(oldest ? [{ dueAt: oldest }] : [], new Date());
    const none = entries && 0;
    return { name, waiting, scheduled: delayed, running: active, failed: none, uncertain: none, oldestSeconds, paused };
  }
  const counts = rows?.counts.get(name as JobQueueName);
  const { waiting = null, scheduled = null, running = null, failed = null, uncertain = null } = counts ?? {};
  const due = rows?.due.filter(({ queue }) => queue === name);
  return {
    name,
    waiting,
    scheduled,
    running,
    failed,
    uncertain,
    oldestSeconds: due ? ageOfOldest(due, now) : null,
    paused,
  };
}

/** Returns the seconds since the earliest time; 0 for none. */
function ageOfOldest(due: readonly { dueAt: Date }[], now: Date): number {
  const earliest = Math.min(...due.map(({ dueAt }) => dueAt.getTime()), now.getTime());
  return (now.getTime() - earliest) / 1000;
}
