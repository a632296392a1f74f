import { PaymentLink } from '../../database/models';
import { toSqlTime } from '../../database/sql';
import type { UnitOfWork } from '../../database/unitOfWork';
import { recordJob } from '../../outbox/recordJob';
import type { Services } from '../../services';

const BATCH = 200;
const SOONEST_MS = 5 * 60_000;
const LATEST_MS = 6 * 3_600_000;

/**
 * When a link is asked about next: a quarter of its age later, from five minutes to six hours. The callback is the usual way;
 * this is for the one that never comes.
 */
export function nextPoll(createdAt: Date, now: Date): Date {
  const age = now.getTime() - createdAt.getTime();
  return new Date(now.getTime() + Math.min(LATEST_MS, Math.max(SOONEST_MS, age / 4)));
}

/**
 * Records for every link that is due and has not ended that the gateway has to be asked about it. Any number of processes may
 * do so at once. Answers how many were recorded.
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
    recorded += await services.perform({ companyId, actor: 'schedule:pollPaymentLinks' }, (uow) => askAbout(uow, id));
  }
  return recorded;
}

/** Under the row's lock, since another process may have seen it due as well. */
async function askAbout(uow: UnitOfWork, id: number): Promise<0 | 1> {
  const { companyId, transaction, now } = uow;
  const where = { companyId, id };
  const link = await PaymentLink.findOne({ where, lock: transaction.LOCK.UPDATE, transaction, rejectOnEmpty: true });
  if (link.pollAt > now) return 0;
  await link.update({ pollAt: nextPoll(link.createdAt, now) }, { transaction });
  await recordJob(uow, 'syncPaymentLink', { paymentLinkId: id });
  return 1;
}
