import { randomUUID } from 'node:crypto';
import { IdempotencyKey } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { AppError, Conflict } from '../../errors';
import type { Services } from '../../services';
import type { AnswerCipher } from './answerCipher';

/** What a request was answered, stored and replayed byte for byte. */
export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  /** JSON text. */
  body: string;
}

const KEPT_MS = 24 * 3_600_000;
/** A process that dies in the middle of a request holds its key this much longer; a living one renews it. */
const CLAIM_MS = 10_000;

/**
 * One POST under an Idempotency-Key. `begin` claims the key for this request, which then either completes it inside the
 * work's own transaction (so that a crash between commit and answer replays the true answer) or lets go of it.
 */
export class IdempotentRequest {
  /** True once the answer was part of the work's transaction; after a failure the work was rolled back all the same. */
  isComplete = false;
  private readonly renewal: NodeJS.Timeout;

  private constructor(
    private readonly services: Services,
    private readonly companyId: number,
    private readonly key: string,
    private readonly claim: string,
    /** The job that an earlier try of this request recorded, or null. */
    public jobId: number | null,
    private readonly cipher: AnswerCipher | null,
  ) {
    this.renewal = setInterval(() => void this.renew(), CLAIM_MS / 3).unref();
  }

  /**
   * With a `cipher` the answer is stored sealed. @throws {AppError} 422 `idempotency_key_reused`: the key belongs to another
   * request (or, sealed, to another caller's); {@link Conflict}
   * `idempotency_key_in_flight`: the first request has not been answered yet.
   */
  static async begin(
    services: Services,
    companyId: number,
    key: string,
    hash: string,
    cipher: AnswerCipher | null = null,
  ): Promise<IdempotentRequest | StoredAnswer> {
    const claim = randomUUID();
    const begun = await services.perform({ companyId, actor: 'idempotency' }, (uow) => claimKey(uow, key, hash, claim));
    if (!('status' in begun)) return new IdempotentRequest(services, companyId, key, claim, begun.jobId, cipher);
    if (cipher === null) return begun;
    const body = cipher.open(begun.body);
    if (body === null) throw keyReused();
    return { ...begun, body };
  }

  /** Inside the work's transaction: what will be answered, or the job whose end will be. Rolls back if the claim is lost. */
  async completeWithin(uow: UnitOfWork, outcome: { answer: StoredAnswer } | { jobId: number }): Promise<void> {
    if ('jobId' in outcome) this.jobId = outcome.jobId;
    const changes = 'answer' in outcome ? this.columnsOf(outcome.answer) : { jobId: outcome.jobId };
    const [updated] = await IdempotencyKey.update(
      { ...changes, updatedAt: uow.now },
      { where: this.where, transaction: uow.transaction },
    );
    if (updated === 0) throw inFlight();
    this.isComplete = 'answer' in outcome;
  }

  /** The answer became known after the work's transaction: a job's end, or a 4xx that the record's state decided. */
  async store(answer: StoredAnswer): Promise<void> {
    this.stopRenewing();
    await IdempotencyKey.update(this.columnsOf(answer), { where: this.where });
  }

  /** No answer worth keeping (5xx, validation): the same request may try again. A recorded job stays attached. */
  async release(): Promise<void> {
    this.stopRenewing();
    if (this.jobId === null) await IdempotencyKey.destroy({ where: { ...this.where, responseStatus: null } });
    else await IdempotencyKey.update({ claimedUntil: null }, { where: this.where });
  }

  /** After the answer was completed within the work. */
  stopRenewing(): void {
    clearInterval(this.renewal);
  }

  private columnsOf({ status, headers, body }: StoredAnswer): object {
    return {
      responseStatus: status,
      responseHeaders: JSON.stringify(headers),
      responseBody: this.cipher === null ? body : this.cipher.seal(body),
      claimedUntil: null,
    };
  }

  private get where(): { companyId: number; idempotencyKey: string; claim: string } {
    return { companyId: this.companyId, idempotencyKey: this.key, claim: this.claim };
  }

  private async renew(): Promise<void> {
    const { clock, log } = this.services;
    const claimedUntil = new Date(clock.now().getTime() + CLAIM_MS);
    try {
      await IdempotencyKey.update({ claimedUntil }, { where: { ...this.where, responseStatus: null } });
    } catch (error) {
      log.warn({ err: error }, 'an idempotency key could not be renewed');
    }
  }
}

async function claimKey(
  uow: UnitOfWork,
  key: string,
  hash: string,
  claim: string,
): Promise<StoredAnswer | { jobId: number | null }> {
  const { companyId, now, transaction } = uow;
  const fresh = {
    requestHash: hash,
    claim,
    claimedUntil: new Date(now.getTime() + CLAIM_MS),
    jobId: null,
    responseStatus: null,
    responseHeaders: null,
    responseBody: null,
    expiresAt: new Date(now.getTime() + KEPT_MS),
    createdAt: now,
    updatedAt: now,
  };
  // Locks a known row as an update does; a plain INSERT would share the lock, and rivals for one key would deadlock.
  await IdempotencyKey.bulkCreate([{ companyId, idempotencyKey: key, ...fresh }], {
    updateOnDuplicate: ['companyId'],
    transaction,
  });
  const where = { companyId, idempotencyKey: key };
  const known = await IdempotencyKey.findOne({ where, rejectOnEmpty: true, transaction });
  if (known.claim === claim) return { jobId: null };
  if (known.expiresAt <= now) {
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
  return new Conflict('idempotency_key_in_flight', 'a request with this Idempotency-Key has not been answered yet');
}

function keyReused(): AppError {
  return new AppError('idempotency_key_reused', 'this Idempotency-Key was used with another request', { status: 422 });
}
