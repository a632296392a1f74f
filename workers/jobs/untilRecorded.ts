import { setTimeout as sleep } from 'node:timers/promises';
import type { Delays } from '../../config/queues';
import { toDatabaseUnavailable } from '../../shared/engine/db';
import { AppError } from '../../shared/engine/errors';
import type { Logger } from '../../shared/engine/log';
import { backoff } from './backoff';
import type { Lease } from './Lease';

/** The pause between two retries. Their number is not limited: the outcome of a call cannot be learned twice. */
const betweenTries: Delays = { firstDelayMs: 100, factor: 2, maxDelayMs: 1_000 };

/**
 * Runs a transaction until it is committed. While MySQL is unreachable, read-only or full, or a row stays locked, the transaction is
 * retried, and the lease is renewed before each retry. `record` may run again after a commit whose confirmation was lost.
 * @throws {LeaseLost} when another run has claimed the job; the errors of `record` when no retry can help, or when `shutdown` is aborted.
 */
export async function untilRecorded<T>(
  log: Logger,
  lease: Lease,
  shutdown: AbortSignal,
  record: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      const recorded = await record();
      if (tries > 1) log.info({ tries }, 'an outcome is recorded after all');
      return recorded;
    } catch (error) {
      if (!isTransient(error) || shutdown.aborted) throw error;
      if (tries === 1) log.warn({ err: error }, 'an outcome could not be recorded; it is retried');
      const pause = sleep(backoff(betweenTries, tries), undefined, { signal: shutdown });
      // A shutdown ends the pause for one more retry.
      await pause.catch(() => undefined);
    }
    await lease.renew();
    lease.throwIfLost();
  }
}

/** The same transaction can succeed later. */
function isTransient(error: unknown): boolean {
  if (error instanceof AppError) return error.retryable;
  return toDatabaseUnavailable(error) !== null;
}
