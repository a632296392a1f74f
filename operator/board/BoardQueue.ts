import { BaseAdapter } from '@bull-board/api/dist/queueAdapters/base.js';
import type { JobCounts, JobStatus, QueueJob, QueueMetrics, Status } from '@bull-board/api/typings/app';
import type { QueueName } from '../../config/queues';
import { pausedQueues, pauseQueue, type QueueSignal, resumeQueue } from '../../shared/engine/jobs';
import type { OperatorContext } from '../OperatorContext';
import { RefusedByBoard } from './RefusedByBoard';

/** A queue as bull-board shows it. Subclasses read it. All changes but a pause are refused. */
export abstract class BoardQueue extends BaseAdapter {
  protected constructor(
    protected readonly context: OperatorContext,
    protected readonly queue: QueueName,
    private readonly statuses: readonly JobStatus[],
    options: { description: string; allowRetries: boolean },
  ) {
    // The older of the two kinds that bull-board knows: it offers neither job flows nor a concurrency of the queue.
    super('bull', { ...options, allowCompletedRetries: false });
  }

  getName(): string {
    return this.queue;
  }

  getJobStatuses(): JobStatus[] {
    return [...this.statuses];
  }

  getStatuses(): Status[] {
    return ['latest', ...this.statuses];
  }

  async getJobCounts(): Promise<JobCounts> {
    const { queues } = await this.context.signals.read();
    const signal = queues.find(({ name }) => name === this.queue);
    return signal === undefined ? {} : this.countsOf(signal);
  }

  /** The counts by the names that bull-board has for the states. */
  protected abstract countsOf(signal: QueueSignal): Promise<JobCounts>;

  async isPaused(): Promise<boolean> {
    return (await pausedQueues(this.context.services.sql)).has(this.queue);
  }

  async pause(): Promise<void> {
    await pauseQueue(this.context.services.sql, this.queue);
    this.context.services.log.info({ queue: this.queue }, 'a queue was paused on the board');
  }

  async resume(): Promise<void> {
    await resumeQueue(this.context.services.sql, this.queue);
    this.context.services.log.info({ queue: this.queue }, 'a queue was resumed on the board');
  }

  getJobLogs(): Promise<string[]> {
    return Promise.resolve([]);
  }

  getMetrics(): Promise<QueueMetrics> {
    return Promise.resolve({ meta: { count: 0, prevTS: 0, prevCount: 0 }, data: [], count: 0 });
  }

  getRedisInfo(): Promise<null> {
    return Promise.resolve(null);
  }

  getGlobalConcurrency(): Promise<null> {
    return Promise.resolve(null);
  }

  getJobSchedulers(): Promise<[]> {
    return Promise.resolve([]);
  }

  getJobSchedulersCount(): Promise<number> {
    return Promise.resolve(0);
  }

  addJob = refuse('add a job');
  clean = refuse('remove jobs');
  empty = refuse('empty a queue');
  obliterate = refuse('remove a queue');
  promoteAll = refuse('promote jobs');
  setGlobalConcurrency = refuse('set a concurrency');
  override setConfiguredRateLimit = refuse('set a rate');
  override removeConfiguredRateLimit = refuse('set a rate');
  override releaseActiveRateLimit = refuse('set a rate');
  removeJobScheduler = refuse('change a schedule');
  updateJobScheduler = refuse('change a schedule');
  runJobSchedulerNow = refuse('run a schedule');
}

/** The changes of a job that bull-board offers, all refused. */
export const unchangeable: Pick<
  QueueJob,
  'promote' | 'remove' | 'retry' | 'update' | 'updateData' | 'changeDelay' | 'changePriority'
> = {
  promote: refuse('promote a job'),
  remove: refuse('remove a job'),
  retry: refuse('retry a job that has not failed'),
  update: refuse('change a job'),
  updateData: refuse('change a job'),
  changeDelay: refuse('change a job'),
  changePriority: refuse('change a job'),
};

function refuse(what: string): () => Promise<never> {
  return () => Promise.reject(new RefusedByBoard(what));
}
