import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { queueNames, type QueueName } from '../../config/queues';
import { ServiceUnavailable } from '../errors';
import type { Logger } from '../log';
import { disconnectRedis } from './redisConnection';

export interface QueuedJob {
  queue: QueueName;
  name: string;
  /** Of BullMQ: neither only digits nor with a colon. Adding an id that is queued already changes nothing. */
  jobId: string;
  data: object;
  delayMs?: number;
}

/** The producing side of the queues. Redis is only the hint: what must not be lost is a row in MySQL. */
export class JobQueues {
  private readonly queues: Record<QueueName, Queue>;

  constructor(
    readonly redis: Redis,
    prefix: string,
    log: Logger,
  ) {
    this.queues = Object.fromEntries(
      queueNames.map((name) => {
        const queue = new Queue(name, { connection: redis, prefix, skipVersionCheck: true });
        queue.on('error', (error) => log.debug({ err: error.message, queue: name }, 'queue error'));
        return [name, queue];
      }),
    ) as Record<QueueName, Queue>;
  }

  get isConnected(): boolean {
    return this.redis.status === 'ready';
  }

  /** @throws {ServiceUnavailable} at once when Redis is away; the job may run all the same if it only answered late. */
  async add({ queue, name, jobId, data, delayMs = 0 }: QueuedJob): Promise<void> {
    if (!this.isConnected) throw new ServiceUnavailable('the job queue');
    try {
      // Ended jobs go at once: the row (or the stored PDF) is the record, and the same id can be queued again.
      await this.queues[queue].add(name, data, { jobId, delay: delayMs, removeOnComplete: true, removeOnFail: true });
    } catch (error) {
      throw new ServiceUnavailable('the job queue', error);
    }
  }

  async ping(): Promise<void> {
    if (!this.isConnected) throw new ServiceUnavailable('Redis');
    await this.redis.ping().catch((error: unknown) => Promise.reject(new ServiceUnavailable('Redis', error)));
  }

  /** Jobs of a queue by state, for people who watch. */
  counts(queue: QueueName): Promise<Record<string, number>> {
    return this.queues[queue].getJobCounts();
  }

  async close(): Promise<void> {
    await Promise.allSettled(Object.values(this.queues).map((queue) => queue.close()));
    disconnectRedis(this.redis);
  }
}
