import type { RedisQueueName } from '../../config/queues';
import type { LoopShare } from '../../shared/engine/fair';

/** One queue as a worker serves it. */
export interface ServedQueue {
  readonly queue: RedisQueueName;
  /** How many of its entries are processed at the same time. */
  readonly concurrency: number;
  /** An entry that was started this often, also by workers that died of it, fails. Absent: MySQL counts the attempts. */
  readonly maxStarts?: number;
  /** For how long the queue leaves an entry to a worker that does not report. Absent: `leases.lockMs`. */
  readonly lockMs?: number;
  /** How many entries all workers together start in a second; 0 for no limit. Absent: the queue cannot be slowed down either. */
  readonly ratePerSecond?: number | undefined;
  /** Processes one entry. An entry may come twice or late. */
  process(entry: QueueEntry): Promise<EntryOutcome>;
  /** Called once, with what pauses and resumes the queue in this process. */
  onOpen?(pause: SetPaused): void;
}

/** One entry of a queue, taken by this worker. */
export interface QueueEntry {
  readonly id: string | undefined;
  readonly data: unknown;
  /** How often the entry was started, from 1. */
  readonly starts: number;
  /** When it was to be started first, by the clock of the machine that added it. */
  readonly dueAt: Date;
  /** Whose work it is, if it is one company's. */
  readonly companyId: number | undefined;
  /** Shared by all entries of the process. */
  readonly loop: LoopShare;
  /** Aborted when the worker takes no more entries. */
  readonly draining: AbortSignal;
  /** Aborted when the process has to end now. */
  readonly stopping: AbortSignal;
}

/**
 * `done` is the result for waiting requests. An entry with a delay is processed again after it. An entry that was not started does not
 * count as a start.
 */
export type EntryOutcome = { done: unknown } | { failed: Error } | { delayMs: number; notStarted?: true };

/** Pauses a queue, or resumes it, for one reason. Entries in progress continue. */
export type SetPaused = (isPaused: boolean) => void;
