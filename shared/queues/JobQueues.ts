import { ErrorCode, Queue, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { redisQueueNames, type RedisQueueName } from '../../config/queues';
import { ServiceUnavailable } from '../errors';
import type { Logger } from '../log';
import { disconnectRedis } from './redisConnection';

export interface QueuedJob {
  queue: RedisQueueName;
  name: string;
  /** Of BullMQ: neither only digits nor with a colon. Adding an id that is queued already changes nothing. */
  jobId: string;
  data: object;
  delayMs?: number;
  /** From 1; the lowest runs first. Jobs without one run before all others. */
  priority?: number;
}

/** The producing side of the queues. Redis is only the hint: what must not be lost is a row in MySQL. */
export class JobQueues {
  private readonly queues: Record<RedisQueueName, Queue>;

  constructor(
    readonly redis: Redis,
    prefix: string,
    log: Logger,
  ) {
    this.queues = Object.fromEntries(
      redisQueueNames.map((name) => {
        const queue = new Queue(name, { connection: redis, prefix, skipVersionCheck: true });
        queue.on('error', (error) => log.debug({ err: error.message, queue: name }, 'queue error'));
        return [name, queue];
      }),
    ) as Record<RedisQueueName, Queue>;
  }

  get isConnected(): boolean {
    return this.redis.status === 'ready';
  }

  /** @throws {ServiceUnavailable} at once when Redis is away; the job may run all the same if it only answered late. */
  async add({ queue, name, jobId, data, delayMs = 0, priority = 0 }: QueuedJob): Promise<void> {
    if (!this.isConnected) throw new ServiceUnavailable('the job queue');
    try {
      // Ended jobs go at once: the row (or the stored PDF) is the record, and the same id can be queued again.
      const options = { jobId, delay: delayMs, priority, removeOnComplete: true, removeOnFail: true };
      await this.queues[queue].add(name, data, options);
    } catch (error) {
      throw new ServiceUnavailable('the job queue', error);
    }
  }

  /**
   * Gives a job that waits another priority; one that runs or has ended stays as it is.
   * @throws {ServiceUnavailable} when Redis is unreachable.
   */
  async changePriority(queue: RedisQueueName, jobId: string, priority: number): Promise<void> {
    try {
      await (await this.queues[queue].getJob(jobId))?.changePriority({ priority });
    } catch (error) {
      // It ended between the two commands.
      if ((error as { code?: unknown }).code === ErrorCode.JobNotExist) return;
      throw new ServiceUnavailable('the job queue', error);
    }
  }

  /**
   * Removes a job that waits; one that runs stays.
   * @throws {ServiceUnavailable} when Redis is unreachable.
   */
  async remove(queue: RedisQueueName, jobId: string): Promise<void> {
    try {
      await this.queues[queue].remove(jobId);
    } catch (error) {
      throw new ServiceUnavailable('the job queue', error);
    }
  }

  /** Lets an entry run now that waits for a time of BullMQ's: that is of the machine that added the entry, whose clock may be wrong. */
  async promote(queue: RedisQueueName, jobId: string): Promise<void> {
    const job = (await this.queues[queue].getJob(jobId)) as Job | undefined;
    if (job !== undefined && (await job.isDelayed())) await job.promote();
  }

  async ping(): Promise<void> {
    if (!this.isConnected) throw new ServiceUnavailable('Redis');
    await this.redis.ping().catch((error: unknown) => Promise.reject(new ServiceUnavailable('Redis', error)));
  }

  /** Jobs of a queue by state, for people who watch. */
  async counts(queue: RedisQueueName): Promise<Record<string, number>> {
    const { waiting = 0, prioritized = 0, ...others } = await this.queues[queue].getJobCounts();
    return { ...others, waiting: waiting + prioritized };
  }

  async close(): Promise<void> {
    await Promise.allSettled(Object.values(this.queues).map((queue) => queue.close()));
    disconnectRedis(this.redis);
  }
}
