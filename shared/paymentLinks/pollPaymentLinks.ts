import { PaymentLink } from './PaymentLink';
import { toSqlTime } from '../kernel/database/sql';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { recordJob } from '../kernel/jobs/recordJob';
import { syncPaymentLink } from './syncPaymentLink';
import type { Services } from '../kernel/services';

const BATCH = 200;
const SOONEST_MS = 5 * 60_000;
const LATEST_MS = 6 * 3_600_000;

/**
 * Returns when a link is polled next: a quarter of its age later, from five minutes to six hours. Usually a callback comes first.
 */
export function nextPoll(createdAt: Date, now: Date): Date {
  const age = now.getTime() - createdAt.getTime();
  return new Date(now.getTime() + Math.min(LATEST_MS, Math.max(SOONEST_MS, age / 4)));
}

/**
 * Records a sync of every link that is due and has not ended. Any number of processes may do so at the same time. Returns how
 * many were recorded.
 */
export async function pollPaymentLinks(services: Services): Promise<number> {
  const { sql, clock } = services;
  const due = await sql.rows<{ companyId: number; id: number }>(
    `SELECT companyId, id FROM payment_links
      WHERE status IN ('creating', 'active', 'superseded') AND pollAt <= ? ORDER BY pollAt LIMIT ${BATCH}`,
    [toSqlTime(clock.now())],
  );
  let recorded = 0;
  for (const { companyId, id } of due) {
    recorded += await services.perform({ companyId, actor: 'schedule:pollPaymentLinks' }, (uow) => recordSync(uow, id));
  }
  return recorded;
}

/** Under the row's lock: another process may have found it due as well. */
async function recordSync(uow: UnitOfWork, id: number): Promise<0 | 1> {
  const { companyId, transaction, now } = uow;
  const where = { companyId, id };
  const link = await PaymentLink.findOne({ where, lock: transaction.LOCK.UPDATE, transaction, rejectOnEmpty: true });
  if (link.pollAt > now) return 0;
  await link.update({ pollAt: nextPoll(link.createdAt, now) }, { transaction });
  await recordJob(uow, syncPaymentLink, { paymentLinkId: id });
  return 1;
}
