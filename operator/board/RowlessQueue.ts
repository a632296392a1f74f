import type { Job } from 'bullmq';
import type { JobCounts, JobStatus, QueueJob } from '@bull-board/api/typings/app';
import { queues, type RedisQueueName, type RowlessQueueName } from '../../config/queues';
import type { EntryState, QueueSignal } from '../../shared/engine/jobs';
import type { OperatorContext } from '../OperatorContext';
import { BoardQueue, unchangeable } from './BoardQueue';

const entryStates = {
  active: ['active'],
  waiting: ['wait', 'prioritized'],
  delayed: ['delayed'],
} as const satisfies Partial<Record<JobStatus, readonly EntryState[]>>;

type EntryStatus = keyof typeof entryStates;

const descriptions: Record<RowlessQueueName, string> = {
  pdf: 'Renders of PDFs, as Redis has them. One that has ended leaves nothing behind.',
  webhook:
    'Endpoints that a worker is to look after, as Redis has them. The deliveries stand in MySQL; the API lists them by endpoint.',
  schedule:
    'Requests to scan the calendar, as Redis has them. What is due stands in MySQL; the metrics say when the last scan succeeded.',
};

/** The fields of an entry that are no secret. */
const shown = ['companyId', 'invoiceId', 'isLong', 'asSent', 'endpointId'];

/** A queue whose work has no rows: its entries in Redis are all there is. */
export class RowlessQueue extends BoardQueue {
  private readonly sources: readonly RedisQueueName[];
  private isKnown = true;

  constructor(
    context: OperatorContext,
    protected override readonly queue: RowlessQueueName,
  ) {
    super(context, queue, Object.keys(entryStates) as EntryStatus[], {
      description: descriptions[queue],
      allowRetries: false,
    });
    this.sources = queues[queue].inRedis;
  }

  /** Those of the entries that {@link getJobs} lists; the signals of `webhook` count deliveries. */
  protected override async countsOf(signal: QueueSignal): Promise<JobCounts> {
    const { running, waiting, scheduled } = this.queue === 'webhook' ? await this.entryCounts() : signal;
    this.isKnown = waiting !== null;
    return { active: running ?? 0, waiting: waiting ?? 0, delayed: scheduled ?? 0 };
  }

  private async entryCounts(): Promise<Pick<QueueSignal, 'running' | 'waiting' | 'scheduled'>> {
    const { queues } = this.context.services;
    if (!queues.isConnected) return { running: null, waiting: null, scheduled: null };
    const { active = 0, waiting = 0, delayed = 0 } = await queues.counts('webhook');
    return { running: active, waiting, scheduled: delayed };
  }

  /** bull-board has no counts that are unknown. It asks for the description after them. */
  override getDescription(): string {
    return this.isKnown ? super.getDescription() : 'Redis cannot be reached: what waits here is unknown.';
  }

  /** The states, the queues in Redis and their lists, one after the other. */
  async getJobs(jobStatuses: JobStatus[], start = 0, end = start): Promise<QueueJob[]> {
    const { queues } = this.context.services;
    const jobs: QueueJob[] = [];
    let skip = start;
    for (const [status, source, state] of this.places(jobStatuses)) {
      const missing = end - start + 1 - jobs.length;
      if (missing <= 0) break;
      const found = await queues.entries(source, state, skip, missing);
      jobs.push(...found.jobs.map((job) => present(job, status)));
      skip = Math.max(0, skip - found.total);
    }
    return jobs;
  }

  private places(jobStatuses: readonly JobStatus[]): [EntryStatus, RedisQueueName, EntryState][] {
    return (Object.keys(entryStates) as EntryStatus[])
      .filter((status) => jobStatuses.includes(status))
      .flatMap((status) =>
        entryStates[status].flatMap((state) =>
          this.sources.map((source): [EntryStatus, RedisQueueName, EntryState] => [status, source, state]),
        ),
      );
  }

  async getJob(id: string): Promise<QueueJob | null> {
    for (const source of this.sources) {
      const job = await this.context.services.queues.entry(source, id);
      if (job !== null) return present(job, statusOf(await job.getState()));
    }
    return null;
  }
}

function statusOf(state: string): EntryStatus {
  if (state === 'active' || state === 'delayed') return state;
  return 'waiting';
}

function present(job: Job, status: EntryStatus): QueueJob {
  const data = Object.fromEntries(Object.entries(job.data as object).filter(([field]) => shown.includes(field)));
  const json = {
    ...job.toJSON(),
    id: job.id ?? null,
    data,
    opts: { priority: job.priority, queue: job.queueName },
    returnvalue: null,
  };
  return {
    ...unchangeable,
    opts: {},
    toJSON: () => ({ ...json, stacktrace: null }),
    getState: () => Promise.resolve(status),
  };
}
