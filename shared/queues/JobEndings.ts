import { QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import type { RedisQueueName } from '../../config/queues';
import type { Logger } from '../log';
import { disconnectRedis } from './redisConnection';

/** As BullMQ announces it: `failedReason` only where the job failed for good. */
export interface Ending {
  returnvalue?: string;
  failedReason?: string;
}

type Listener = (ending: Ending) => void;

/**
 * One listener for each queue and process, and a map of who waits for which job (BullMQ's own per-job waiting adds
 * listeners with every call). An ending is a hint: whoever waits reads the truth (row or file) again.
 */
export class JobEndings {
  /** The process stops: what waits reads once more and gives up. */
  isClosing = false;
  private readonly waiting = new Map<string, Set<Listener>>();
  private readonly closers: (() => Promise<void>)[];

  constructor(
    queues: readonly RedisQueueName[],
    connect: () => Redis,
    prefix: string,
    private readonly log: Logger,
  ) {
    this.closers = queues.map((name) => {
      const connection = connect();
      const events = new QueueEvents(name, { connection, prefix, skipVersionCheck: true });
      events.on('error', (error) => log.debug({ err: error.message, queue: name }, 'queue events error'));
      events.on('completed', ({ jobId, returnvalue }: { jobId: string; returnvalue: string }) =>
        this.ended(jobId, { returnvalue }),
      );
      events.on('failed', ({ jobId, failedReason }) => this.ended(jobId, { failedReason }));
      return async () => {
        // BullMQ would wait until Redis is back, and does not close a connection that it was given.
        const connected = connection.status === 'ready';
        const closed = events.close().catch((error: unknown) => log.debug({ err: error, queue: name }, 'not closed'));
        if (connected) await closed;
        disconnectRedis(connection);
      };
    });
  }

  /** Calls `listener` when the job ends, until the answered function is called. */
  subscribe(jobId: string, listener: Listener): () => void {
    const listeners = this.waiting.get(jobId) ?? new Set();
    this.waiting.set(jobId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.waiting.delete(jobId);
    };
  }

  /** Ends all waiting, now and from now on. */
  endWaiting(): void {
    this.isClosing = true;
    for (const listeners of this.waiting.values()) for (const listener of [...listeners]) listener({});
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.closers.map((close) => close()));
  }

  private ended(jobId: string, ending: Ending): void {
    this.log.trace({ jobId }, 'job ended');
    for (const listener of this.waiting.get(jobId) ?? []) listener(ending);
  }
}
