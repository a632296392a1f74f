import type { JobRef, Scope, UnitOfWork } from '../../../shared/kernel/database/unitOfWork';
import type { IdempotentRequest, StoredResponse } from '../../../shared/kernel/idempotency/IdempotentRequest';
import type { Upload } from '../../../shared/kernel/files/Upload';
import type { Services } from '../../../shared/kernel/services';
import { getJob } from '../../../shared/kernel/jobs/getJob';
import { retryJob } from '../../../shared/kernel/jobs/retryJob';
import type { Place } from '../limits/Places';
import { answerOf, awaitJob } from './awaitJob';
import type { Answer } from './Answer';

/** A checked request of an authenticated company, as handlers see it. */
export class Call<Body = unknown, Query = unknown> implements Scope {
  readonly services: Services;
  readonly companyId: number;
  readonly actor: string;
  readonly requestId: string | null;
  /** The request's place in the line of its company. Waiting for anything but MySQL must give it up meanwhile (`place.aside`). */
  readonly place: Place;

  constructor(
    scope: Scope & { services: Services; place: Place },
    /** The path's parameters by name: positive integers (0 for one that is too large to exist). */
    readonly params: Readonly<Record<string, number>>,
    readonly body: Body,
    readonly query: Query,
    /** The headers that handlers use; null where absent. */
    readonly preconditions: { ifMatch: string | null; respondAsync: boolean },
    private readonly idempotent: IdempotentRequest | null,
    private readonly uploaded: Upload | null = null,
  ) {
    ({ services: this.services, companyId: this.companyId, actor: this.actor, place: this.place } = scope);
    this.requestId = scope.requestId ?? null;
  }

  /** The file of an upload. @throws {Error} when the route takes none, which is a bug. */
  get upload(): Upload {
    if (this.uploaded === null) throw new Error('this route takes no upload');
    return this.uploaded;
  }

  /** The `{id}` of the path. */
  get id(): number {
    return this.params.id ?? 0;
  }

  /**
   * Runs a use-case and makes its response in one transaction, which also stores the response under the request's
   * Idempotency-Key.
   */
  inUnitOfWork(work: (uow: UnitOfWork) => Promise<Answer>): Promise<Answer> {
    return this.services.perform(this, async (uow) => {
      const answer = await work(uow);
      await this.idempotent?.completeWithin(uow, { response: toStored(answer) });
      return answer;
    });
  }

  /**
   * Records a job and waits for its end. `answer` makes the response from the job's result. Responds with 202 and
   * `acceptedMessage` when the job has not ended in time or the request has `Prefer: respond-async`. `record` may return null
   * when there is nothing to do.
   * @throws {AppError} with the error of a failed job.
   */
  async inJob(
    record: (uow: UnitOfWork) => Promise<JobRef | null>,
    answer: (result: object) => Promise<Answer>,
    acceptedMessage = 'Accepted: the job has not ended yet',
  ): Promise<Answer> {
    const jobId = await this.recordedJob(record);
    if (jobId === null) return answer({});
    const { services, place } = this;
    const end = await place.aside(() => awaitJob(services, jobId, this.preconditions.respondAsync));
    return answerOf(jobId, end, answer, acceptedMessage);
  }

  /** Returns the job of the request. A retry under the same Idempotency-Key gets the job that its first attempt recorded. */
  private async recordedJob(record: (uow: UnitOfWork) => Promise<JobRef | null>): Promise<number | null> {
    const known = this.idempotent?.jobId ?? null;
    if (known !== null) {
      const { sql, jobContracts } = this.services;
      const { status } = await getJob(sql, this.companyId, known);
      return status === 'failed' ? this.attach((uow) => retryJob(uow, jobContracts, known)) : known;
    }
    return this.attach(record);
  }

  private attach(record: (uow: UnitOfWork) => Promise<JobRef | null>): Promise<number | null> {
    const { companyId, actor, requestId, preconditions } = this;
    const scope = { companyId, actor, requestId, isWaitedFor: !preconditions.respondAsync };
    return this.services.perform(scope, async (uow) => {
      const job = await record(uow);
      if (job !== null) await this.idempotent?.completeWithin(uow, { jobId: job.id });
      return job?.id ?? null;
    });
  }
}

/** Returns the response as it is stored under an Idempotency-Key. */
export function toStored({ status, headers = {}, body }: Answer): StoredResponse {
  return { status, headers, body: JSON.stringify(body) };
}
