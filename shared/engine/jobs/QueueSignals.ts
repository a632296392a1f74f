import { queueNames, queues, rowlessQueueNames, type QueueName } from '../../../config/queues';
import { type Clock, InTime } from '../clock';
import { countEntries, missingEntries, type EntryCounts } from './queueEntries';
import type { Sql } from '../db';
import type { Logger } from '../log';
import type { JobQueues } from './JobQueues';
import { stillPending } from './dueJobs';
import { JobCounts } from './JobCounts';
import type { JobState } from './jobStates';
import { bullJobId } from './Outbox';
import type { QueueCounter } from './QueueCounter';
import { readQueueRows, secondsSince, unknown, type QueueRows } from './queueStates';

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

type Entries = ReadonlyMap<QueueName, EntryCounts>;

/**
 * Reads how much work waits. Jobs are counted in MySQL ({@link JobCounts}), the work of other tables by counters. Renders and scans have no
 * rows and are counted in Redis. A failed one leaves nothing there, so none is ever `failed` or `uncertain`.
 */
export class QueueSignals {
  private readonly jobCounts = new JobCounts(this.services.sql);
  private readonly mysql = new InTime(DEADLINE_MS);
  private readonly redis = new InTime(DEADLINE_MS);
  private latest: { at: number; signals: Promise<Signals> } | null = null;

  constructor(
    private readonly services: { sql: Sql; queues: JobQueues; clock: Clock; log: Logger },
    private readonly counters: readonly QueueCounter[],
  ) {}

  /** Returns the signals, computed at most two seconds ago. Never throws: signals of an unreachable server are null. */
  read(): Promise<Signals> {
    const at = performance.now();
    if (this.latest === null || at - this.latest.at >= FRESH_MS) this.latest = { at, signals: this.compute() };
    return this.latest.signals;
  }

  private async compute(): Promise<Signals> {
    const { sql, clock, log } = this.services;
    const now = clock.now();
    const failed = (server: string) => (error: unknown) =>
      log.debug({ err: error, server }, 'queue signals could not be read');
    const [rows, entries] = await Promise.all([
      this.mysql.result(() => readQueueRows(sql, now, this.counters, this.jobCounts, LOOKED_UP), failed('MySQL')),
      this.redis.result(() => this.readEntries(), failed('Redis')),
    ]);
    const outboxLag = rows && (await this.mysql.result(() => this.outboxLag(rows, entries, now), failed('MySQL')));
    return {
      queues: queueNames.map((name) =>
        queues[name].hasRows || this.isCounted(name) ? ofRows(name, rows) : ofEntries(name, rows, entries),
      ),
      outboxLagSeconds: outboxLag,
      reachable: { mysql: rows !== null, redis: entries !== null },
    };
  }

  private isCounted(name: QueueName): boolean {
    return this.counters.some(({ queue }) => queue === name);
  }

  private async readEntries(): Promise<Entries> {
    const entries = new Map<QueueName, EntryCounts>();
    const countIn = async (name: (typeof rowlessQueueNames)[number]): Promise<void> =>
      void entries.set(name, await countEntries(this.services.queues, queues[name].inRedis));
    await Promise.all(rowlessQueueNames.filter((name) => !this.isCounted(name)).map(countIn));
    return entries;
  }

  /** Jobs of a paused queue are not queued. While Redis is unreachable, no due job counts as being in its queue. */
  private async outboxLag(rows: QueueRows, entries: Entries | null, now: Date): Promise<number> {
    const { queues, sql } = this.services;
    const due = rows.due.filter(({ queue }) => rows.states.get(queue)?.paused === false);
    const refs = due.map((job) => ({ ...job, jobId: bullJobId(job.id) }));
    const missing = entries === null ? due : await missingEntries(queues, refs);
    // A job that was started meanwhile has left its queue as well.
    const pending = await stillPending(sql, missing);
    return Math.max(0, ...pending.map(({ dueAt }) => secondsSince(dueAt, now)));
  }
}

function ofRows(name: QueueName, rows: QueueRows | null): QueueSignal {
  const state = rows?.states.get(name);
  if (state === undefined) return { name, ...unknown, oldestSeconds: null, paused: null };
  const { since: _, oldestSeconds, ...others } = state;
  return { ...others, oldestSeconds: oldestSeconds ?? 0 };
}

function ofEntries(name: QueueName, rows: QueueRows | null, entries: Entries | null): QueueSignal {
  const paused = rows?.states.get(name)?.paused ?? null;
  const counts = entries?.get(name);
  if (counts === undefined) return { name, ...unknown, oldestSeconds: null, paused };
  const { waiting, delayed: scheduled, active: running, oldest } = counts;
  // BullMQ uses the machine's clock.
  const oldestSeconds = oldest === null ? 0 : secondsSince(oldest, new Date());
  return { name, waiting, scheduled, running, failed: 0, uncertain: 0, oldestSeconds, paused };
}
