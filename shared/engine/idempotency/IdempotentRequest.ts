import { randomUUID } from 'node:crypto';
import { IdempotencyKey } from './IdempotencyKey';
import { insertRow, isDuplicate, type Sql, type Transactions, type UnitOfWork } from '../db';
import { AppError, Conflict, LimitReached } from '../errors';
import type { IdempotencyUsage } from './usage';
import type { Clock } from '../clock';
import type { Logger } from '../log';
import type { ResponseCipher } from './responseCipher';

interface Means extends Transactions {
  readonly sql: Sql;
  readonly idempotencyUsage: IdempotencyUsage;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The response of a request, as it is stored and replayed byte for byte. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  /** JSON text. */
  body: string;
}

const KEPT_MS = 24 * 3_600_000;
/** How long a claim is valid. A running request renews it; after a crash the key is free again within this time. */
const CLAIM_MS = 10_000;
/** The approximate bytes of a row beside its key and its response. */
const ROW_BYTES = 512;

/**
 * One POST under an Idempotency-Key. `begin` claims the key. The request then completes it inside the work's own transaction,
 * so that a retry after a crash between commit and response gets the stored response, or releases it.
 */
export class IdempotentRequest {
  /** True once the response was stored in the work's transaction. Means nothing after an error, which rolls the work back. */
  isComplete = false;
  private readonly renewal: NodeJS.Timeout;
  /** Bytes of the response, until they are counted. */
  private responseBytes = 0;

  private constructor(
    private readonly services: Means,
    private readonly companyId: number,
    private readonly key: string,
    private readonly claim: string,
    /** The job that this request has recorded, in this attempt or an earlier one; null for none. */
    public jobId: number | null,
    private readonly cipher: ResponseCipher | null,
  ) {
    this.renewal = setInterval(() => void this.renew(), CLAIM_MS / 3).unref();
  }

  /**
   * Claims the key, or returns the stored response of the same request. With a `cipher` the response is stored encrypted.
   * @throws {AppError} 422 `idempotency_key_reused` when the key was used with another request or, encrypted, another API key. {@link
   * Conflict} `idempotency_key_in_flight` when the first request is still in progress. {@link LimitReached} when the company has used up
   * its keys or bytes. Stored responses are still returned.
   */
  static async begin(
    services: Means,
    companyId: number,
    key: string,
    hash: string,
    cipher: ResponseCipher | null = null,
  ): Promise<IdempotentRequest | StoredResponse> {
    const claim = randomUUID();
    const { idempotencyUsage: usage, sql, clock } = services;
    const bytes = ROW_BYTES + key.length;
    let taken = 0;
    const take = async (within: Sql): Promise<void> => {
      if (taken > 0) return;
      await usage.take(within, companyId, bytes);
      taken = 1;
    };
    const giveBack = (): void => {
      usage.add(companyId, -taken, -taken * bytes);
      taken = 0;
    };
    const begin = async (): Promise<StoredResponse | { jobId: number | null }> => {
      // Most keys are new: one statement claims them.
      if (await isDone(take(sql), (error) => error instanceof LimitReached)) {
        const row = { companyId, idempotencyKey: key, ...newClaim(hash, claim, clock.now()) };
        if (await isDone(insertRow(sql, 'idempotency_keys', row), (error) => isDuplicate(error)))
          return { jobId: null };
      }
      giveBack();
      return services.perform({ companyId, actor: 'idempotency' }, (uow) => claimKey(uow, { key, hash, claim, take }));
    };
    const begun = await begin().catch((error: unknown) => {
      giveBack();
      throw error;
    });
    if (!('status' in begun)) return new IdempotentRequest(services, companyId, key, claim, begun.jobId, cipher);
    if (cipher === null) return begun;
    const body = cipher.open(begun.body);
    if (body === null) throw keyReused();
    return { ...begun, body };
  }

  /**
   * Stores the response, or the job whose end will decide it, in the work's transaction.
   * @throws {Conflict} when the claim is lost, which rolls the work back.
   */
  async completeWithin(uow: UnitOfWork, outcome: { response: StoredResponse } | { jobId: number }): Promise<void> {
    if ('jobId' in outcome) this.jobId = outcome.jobId;
    const changes = 'response' in outcome ? this.columnsOf(outcome.response) : { jobId: outcome.jobId };
    const [updated] = await IdempotencyKey.update(
      { ...changes, updatedAt: uow.now },
      { where: this.where, transaction: uow.transaction },
    );
    if (updated === 0) throw inFlight();
    this.isComplete = 'response' in outcome;
  }

  /** Stores a response that became known after the work's transaction: a job's end, or a 4xx that the record's state decided. */
  async store(response: StoredResponse): Promise<void> {
    const columns = this.columnsOf(response);
    const { responseBytes } = this;
    this.responseBytes = 0;
    // None where a repetition of the request that waited for the same job has stored it.
    const [stored] = await IdempotencyKey.update(columns, { where: this.where });
    this.responseBytes = stored * responseBytes;
    this.stopRenewing();
  }

  /**
   * Releases the key after a response that is not stored (5xx, validation), so that the request can be retried. Keeps a
   * recorded job.
   */
  async release(): Promise<void> {
    this.responseBytes = 0;
    this.stopRenewing();
    if (this.jobId === null) {
      const removed = await IdempotencyKey.destroy({ where: { ...this.where, responseStatus: null } });
      const { idempotencyUsage: usage } = this.services;
      usage.add(this.companyId, -removed, -removed * (ROW_BYTES + this.key.length));
    } else await IdempotencyKey.update({ claimedUntil: null }, { where: this.where });
  }

  /** Stops renewing the claim, after the request was completed within the work. */
  stopRenewing(): void {
    clearInterval(this.renewal);
    this.services.idempotencyUsage.add(this.companyId, 0, this.responseBytes);
    this.responseBytes = 0;
  }

  private columnsOf({ status, headers, body }: StoredResponse): object {
    const responseHeaders = JSON.stringify(headers);
    const responseBody = this.cipher === null ? body : this.cipher.seal(body);
    this.responseBytes = responseHeaders.length + Buffer.byteLength(responseBody);
    return { responseStatus: status, responseHeaders, responseBody, claimedUntil: null };
  }

  private get where(): { companyId: number; idempotencyKey: string; claim: string } {
    return { companyId: this.companyId, idempotencyKey: this.key, claim: this.claim };
  }

  /** Not while the request waits for its job, which thousands may do: another request under the key would wait for the same job. */
  private async renew(): Promise<void> {
    if (this.jobId !== null) return;
    const { clock, log } = this.services;
    const claimedUntil = new Date(clock.now().getTime() + CLAIM_MS);
    try {
      await IdempotencyKey.update({ claimedUntil }, { where: { ...this.where, responseStatus: null } });
    } catch (error) {
      log.warn({ err: error }, 'an idempotency key could not be renewed');
    }
  }
}

/** The columns of a key that a first request claims. */
const newClaim = (requestHash: string, claim: string, now: Date) => ({
  requestHash,
  claim,
  claimedUntil: new Date(now.getTime() + CLAIM_MS),
  jobId: null,
  responseStatus: null,
  responseHeaders: null,
  responseBody: null,
  expiresAt: new Date(now.getTime() + KEPT_MS),
  createdAt: now,
  updatedAt: now,
});

/** Returns false when the step has failed with such an error. */
async function isDone(step: Promise<unknown>, isExpected: (error: unknown) => boolean): Promise<boolean> {
  try {
    await step;
    return true;
  } catch (error) {
    if (isExpected(error)) return false;
    throw error;
  }
}

async function claimKey(
  uow: UnitOfWork,
  { key, hash, claim, take }: { key: string; hash: string; claim: string; take: (sql: Sql) => Promise<void> },
): Promise<StoredResponse | { jobId: number | null }> {
  const { companyId, now, transaction } = uow;
  const fresh = newClaim(hash, claim, now);
  // Locks an existing row exclusively. A plain INSERT would take a shared lock, and concurrent requests for one key would deadlock.
  await IdempotencyKey.bulkCreate([{ companyId, idempotencyKey: key, ...fresh }], {
    updateOnDuplicate: ['companyId'],
    transaction,
  });
  const where = { companyId, idempotencyKey: key };
  const known = await IdempotencyKey.findOne({ where, rejectOnEmpty: true, transaction });
  if (known.claim === claim) {
    await take(uow.sql);
    return { jobId: null };
  }
  if (known.expiresAt <= now) {
    await take(uow.sql);
    await known.update(fresh, { transaction });
    return { jobId: null };
  }
  if (known.requestHash !== hash) throw keyReused();
  if (known.responseStatus !== null) {
    return {
      status: known.responseStatus,
      headers: JSON.parse(known.responseHeaders ?? '{}') as Record<string, string>,
      body: known.responseBody ?? '',
    };
  }
  if (known.claimedUntil !== null && known.claimedUntil > now) throw inFlight();
  await known.update({ claim, claimedUntil: fresh.claimedUntil, updatedAt: now }, { transaction });
  return { jobId: known.jobId };
}

function inFlight(): Conflict {
  return new Conflict('idempotency_key_in_flight', 'a request with this Idempotency-Key is still in progress');
}

function keyReused(): AppError {
  return new AppError('idempotency_key_reused', 'this Idempotency-Key was used with another request', { status: 422 });
}
