import type { JobRef, Scope, UnitOfWork } from '../../shared/database/unitOfWork';
import type { IdempotentRequest, StoredAnswer } from '../../shared/usecases/idempotency/IdempotentRequest';
import type { Upload } from '../../shared/files/Upload';
import type { Services } from '../../shared/services';
import { getJob } from '../../shared/usecases/jobs/getJob';
import { retryJob } from '../../shared/usecases/jobs/retryJob';
import type { Place } from '../limits/Places';
import { answerOf, awaitJob } from './awaitJob';
import type { Answer } from './Route';

/** A checked request of an authenticated company, as handlers see it. */
export class Call<Body = unknown, Query = unknown> implements Scope {
  readonly services: Services;
  readonly companyId: number;
  readonly actor: string;
  /** What waits for something other than MySQL does so aside. */
  readonly place: Place;

  constructor(
    scope: Scope & { services: Services; place: Place },
    /** The path's parameters by name: positive integers (0 for one that is too large to exist). */
    readonly params: Readonly<Record<string, number>>,
    readonly body: Body,
    readonly query: Query,
    /** The headers that handlers care for; null where absent. */
    readonly preconditions: { ifMatch: string | null; respondAsync: boolean },
    private readonly idempotent: IdempotentRequest | null,
    private readonly uploaded: Upload | null = null,
  ) {
    ({ services: this.services, companyId: this.companyId, actor: this.actor, place: this.place } = scope);
  }

  /** The file of a route that takes one. */
  get upload(): Upload {
    if (this.uploaded === null) throw new Error('this route takes no upload');
    return this.uploaded;
  }

  /** The `{id}` of the path. */
  get id(): number {
    return this.params.id ?? 0;
  }

  /**
   * Runs a use-case and makes its answer in one transaction; under an Idempotency-Key the answer is stored in that same
   * transaction.
   */
  inUnitOfWork(work: (uow: UnitOfWork) => Promise<Answer>): Promise<Answer> {
    return this.services.perform(this, async (uow) => {
      const answer = await work(uow);
      await this.idempotent?.completeWithin(uow, { answer: toStored(answer) });
      return answer;
    });
  }

  /**
   * Records a job and waits for its end: `answer` makes the response of a done one; 202 when it has not ended in time or
   * `Prefer: respond-async` was sent. `record` may answer null instead of a job when there is nothing to do.
   * @throws {AppError} what the job ended with.
   */
  async inJob(record: (uow: UnitOfWork) => Promise<JobRef | null>, answer: (result: object) => Promise<Answer>) {
    const jobId = await this.recordedJob(record);
    if (jobId === null) return answer({});
    const { services, place } = this;
    const end = await place.aside(() => awaitJob(services, jobId, this.preconditions.respondAsync));
    return answerOf(jobId, end, answer);
  }

  /** A retry under the same Idempotency-Key comes back to the job that its first try recorded. */
  private async recordedJob(record: (uow: UnitOfWork) => Promise<JobRef | null>): Promise<number | null> {
    const known = this.idempotent?.jobId ?? null;
    if (known !== null) {
      const { status } = await getJob(this.companyId, known);
      return status === 'failed' ? this.attach((uow) => retryJob(uow, known)) : known;
    }
    return this.attach(record);
  }

  private attach(record: (uow: UnitOfWork) => Promise<JobRef | null>): Promise<number | null> {
    return this.services.perform(this, async (uow) => {
      const job = await record(uow);
      if (job !== null) await this.idempotent?.completeWithin(uow, { jobId: job.id });
      return job?.id ?? null;
    });
  }
}

/** The answer as it is stored under an Idempotency-Key. */
export function toStored({ status, headers = {}, body }: Answer): StoredAnswer {
  return { status, headers, body: JSON.stringify(body) };
}
