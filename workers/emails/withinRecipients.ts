import { DeliveryUncertain, TooManyRequests } from '../../shared/engine/errors';
import { snoozeFor, type JobRun } from '../jobs/JobRun';

/** The code of the error that a deferred e-mail shows until its next run. */
export const DEFERRED = 'rate_limited';
/** The e-mails that wait for the next 24 hours are spread over so much of them. */
const SPREAD_MS = 3_600_000;

/**
 * Runs `send`, which sends one e-mail, and counts its recipient, unless a request has counted it. An e-mail of the calendar has one. What
 * was certainly not sent does not count. A worker that dies during an attempt has counted it: its e-mail may count twice.
 * @throws {Snooze} when the company has reached its recipients of 24 hours; what `send` throws.
 */
export async function withinRecipients<T>(
  { tools: { services }, companyId, requestId }: JobRun,
  send: () => Promise<T>,
): Promise<T> {
  const { recipients, clock } = services;
  if (recipients === null || requestId !== null) return send();
  const { isExceeded, msBeforeNext } = await recipients.use(companyId);
  try {
    if (!isExceeded) return await send();
    const reason = 'e-mails of the company went to too many recipients in the last 24 hours';
    const cause = new TooManyRequests(DEFERRED, reason, Math.ceil(msBeforeNext / 1_000));
    throw snoozeFor(msBeforeNext + Math.random() * SPREAD_MS, clock, cause);
  } catch (error) {
    if (!(error instanceof DeliveryUncertain)) await recipients.use(companyId, -1);
    throw error;
  }
}
