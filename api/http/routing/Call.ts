import type { JobRef, UnitOfWork, WorkContext } from '../../../shared/engine/db';
import type { IdempotentRequest, StoredResponse } from '../../../shared/engine/idempotency';
import type { Upload } from '../../../shared/engine/files';
import type { Services } from '../../../shared/services';
import { getJob, retryJob } from '../../../shared/engine/jobs';
import type { Turn } from '../../../shared/engine/fair';
import type { Limits } from '../limits/Limits';
import { responseOf, awaitJob } from './awaitJob';
import type { RouteResponse } from './RouteResponse';

/** A checked request of an authenticated company, as handlers see it. */
export class Call<Body = unknown, Query = unknown> implements WorkContext {
  readonly services: Services;
  readonly companyId: number;
  readonly actor: string;
  readonly requestId: string | null;
  readonly turn: Turn;
  readonly limits: Limits;

  constructor(
    context: WorkContext & { services: Services; turn: Turn; limits: Limits },
    /** The path's parameters by name: positive integers (0 for one that is too large to exist). */
    readonly params: Readonly<Record<string, number>>,
    readonly body: Body,
    readonly query: Query,
    /** The headers that handlers use; null where absent. */
    readonly preconditions: { ifMatch: string | null; respondAsync: boolean },
    private readonly idempotent: IdempotentRequest | null,
    private readonly uploaded: Upload | null = null,
  ) {
    ({ services: this.services, companyId: this.companyId, actor: this.actor } = context);
    ({ turn: this.turn, limits: this.limits } = context);
    this.requestId = context.requestId ?? null;
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
  inUnitOfWork(work: (uow: UnitOfWork) => Promise<RouteResponse>): Promise<RouteResponse> {
    return this.services.perform(this, async (uow) => {
      const response = await work(uow);
      await this.idempotent?.completeWithin(uow, { response: toStored(response) });
      return response;
    });
  }

  /**
   * Records a job and waits for its end. `response` makes the response from the job's result. Responds with 202 and
   * `acceptedMessage` when the job has not ended in time or the request has `Prefer: respond-async`. `record` may return null
   * when there is nothing to do.
   * @throws {AppError} with the error of a failed job.
   */
  async inJob(
    record: (uow: UnitOfWork) => Promise<JobRef | null>,
    response: (result: object) => Promise<RouteResponse>,
    acceptedMessage = 'Accepted: the job has not ended yet',
  ): Promise<RouteResponse> {
    const jobId = await this.recordedJob(record);
    if (jobId === null) return response({});
    const { services, turn } = this;
    const end = await turn.aside((left) => awaitJob(services, jobId, this.preconditions.respondAsync, left));
    return responseOf(jobId, end, response, acceptedMessage);
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
export function toStored({ status, headers = {}, body }: RouteResponse): StoredResponse {
  return { status, headers, body: JSON.stringify(body) };
}
