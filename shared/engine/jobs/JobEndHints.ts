import { setTimeout as sleep } from 'node:timers/promises';
import { QueueEvents } from 'bullmq';
import type { RedisQueueName } from '../../../config/queues';
import type { QueuePrefixes } from '../../../config/redisKeys';
import type { Logger } from '../log';
import { endings } from '../fair';
import { disconnectRedis, type RedisConnections } from '../redis';

/** The end of a job as BullMQ announces it. `failedReason` is set only when the job failed for good. */
export interface Ending {
  /** Null when the job has to be queued again. */
  returnvalue?: string | null;
  failedReason?: string;
}

const CLOSED_WITHIN_MS = 2_000;
const RETRY_MS = 1_000;

/**
 * Announces the ends of jobs to the requests that wait for them. Each process has one listener for each queue, because BullMQ's
 * own `waitUntilFinished` adds listeners with every call. An ending is only a hint: the waiting request reads the row or file again.
 */
export class JobEndHints {
  /** True once the process stops: waiting requests then end. */
  isClosing = false;
  /** By the id of a job. Thousands of requests may wait for one. */
  private readonly listeners = new Map<string, Set<(ending: Ending) => void>>();
  private readonly closers: (() => Promise<void>)[];

  constructor(
    queues: readonly RedisQueueName[],
    connections: RedisConnections,
    prefixes: QueuePrefixes,
    private readonly log: Logger,
  ) {
    this.closers = queues.map((name) => {
      const connection = connections.connect('blocking');
      const options = { connection, prefix: prefixes[name], skipVersionCheck: true, autorun: false };
      const events = new QueueEvents(name, options);
      const report = (error: Error): void => connections.report(error, { queue: name });
      events.on('error', report);
      events.on('completed', ({ jobId, returnvalue }: { jobId: string; returnvalue: string | null }) =>
        this.ended(jobId, { returnvalue }),
      );
      events.on('failed', ({ jobId, failedReason }) => this.ended(jobId, { failedReason }));
      void this.listen(events, report);
      return async () => {
        // BullMQ's close would wait while Redis is unreachable, with a cluster also later. BullMQ never closes a connection that was passed
        // to it.
        const connected = connection.status === 'ready';
        const closed = events.close().catch((error: unknown) => log.debug({ err: error, queue: name }, 'not closed'));
        if (connected) await Promise.race([closed, sleep(CLOSED_WITHIN_MS, undefined, { ref: false })]);
        disconnectRedis(connection);
      };
    });
  }

  /** Calls `listener` when the job ends. Returns a function that unsubscribes. */
  subscribe(jobId: string, listener: (ending: Ending) => void): () => void {
    const listeners = this.listeners.get(jobId) ?? new Set();
    this.listeners.set(jobId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(jobId) === listeners) this.listeners.delete(jobId);
    };
  }

  /** Announces an end that this process has found by itself. */
  ended(jobId: string, ending: Ending): void {
    this.log.trace({ jobId }, 'job ended');
    for (const listener of this.listeners.get(jobId) ?? []) endings.add(() => listener(ending));
  }

  /** Ends all present and future waiting. */
  endWaiting(): void {
    this.isClosing = true;
    for (const jobId of this.listeners.keys()) this.ended(jobId, {});
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.closers.map((close) => close()));
  }

  /** Listens until it is closed. BullMQ itself ends when Redis refuses its first command, as it may during a failover. */
  private async listen(events: QueueEvents, report: (error: Error) => void): Promise<void> {
    while (events.closing === undefined) {
      await events.run().catch(report);
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}
