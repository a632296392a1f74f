import type { JobCounts, JobState as BoardState, JobStatus, QueueJob } from '@bull-board/api/typings/app';
import type { JobQueueName } from '../../config/queues';
import {
  countDone,
  findStoredJob,
  jobsInState,
  type JobState,
  MAX_LISTED,
  type QueueSignal,
  retryJob,
  stateOf,
  type StoredJob,
} from '../../shared/engine/jobs';
import type { OperatorContext } from '../OperatorContext';
import { BoardQueue, unchangeable } from './BoardQueue';
import { boardPath } from './boardPath';
import { presentJob } from './presentJob';

/** The names of our states in bull-board. It has none for uncertain jobs: `boardPage` changes the label of another state. */
const statusOf = {
  running: 'active',
  waiting: 'waiting',
  scheduled: 'delayed',
  failed: 'failed',
  uncertain: 'waiting-children',
  done: 'completed',
} as const satisfies Record<JobState | 'done', JobStatus>;

type State = keyof typeof statusOf;
const states = Object.keys(statusOf) as State[];

/** The actor in the events of a retry. */
const actor = 'board';

/** A queue whose jobs are rows of MySQL. The board neither reads nor changes their entries in Redis. */
export class RecordedQueue extends BoardQueue {
  constructor(
    context: OperatorContext,
    protected override readonly queue: JobQueueName,
  ) {
    const description = `Jobs as MySQL has them. Lists end after ${MAX_LISTED.toLocaleString('en')} jobs. ${boardPath}/queue/${queue}/42 is job 42.`;
    super(context, queue, Object.values(statusOf), { description, allowRetries: true });
  }

  protected override async countsOf(signal: QueueSignal): Promise<JobCounts> {
    const done = await countDone(this.context.services.sql, this.queue);
    return Object.fromEntries(states.map((state) => [statusOf[state], (state === 'done' ? done : signal[state]) ?? 0]));
  }

  /** Returns a part of the jobs in one state; of several states, those that changed last. */
  async getJobs(jobStatuses: JobStatus[], start = 0, end = start): Promise<QueueJob[]> {
    const { sql, clock } = this.context.services;
    const now = clock.now();
    const slice = { from: start, limit: end - start + 1 };
    const wanted = states.filter((state) => jobStatuses.includes(statusOf[state]));
    const found = await Promise.all(wanted.map((state) => jobsInState(sql, this.queue, state, now, slice)));
    const jobs = found.flat();
    if (wanted.length > 1) jobs.sort((one, other) => other.updatedAt.getTime() - one.updatedAt.getTime());
    return jobs.slice(0, slice.limit).map((job) => this.present(job, now));
  }

  async getJob(id: string): Promise<QueueJob | null> {
    if (!/^[1-9]\d{0,15}$/.test(id)) return null;
    const { sql, clock } = this.context.services;
    const job = await findStoredJob(sql, this.queue, Number(id));
    return job && this.present(job, clock.now());
  }

  private present(job: StoredJob, now: Date): QueueJob {
    const state: BoardState = statusOf[stateOf(job, now)];
    const json = presentJob(job, this.context.services.jobContracts[job.name]);
    return {
      ...unchangeable,
      opts: json.opts as { delay?: number },
      toJSON: () => json,
      getState: () => Promise.resolve(state),
      retry: () => this.retry(job),
    };
  }

  private async retry({ companyId, id }: StoredJob): Promise<void> {
    const { services } = this.context;
    await services.perform({ companyId, actor }, (uow) => retryJob(uow, services.jobContracts, id));
  }
}
