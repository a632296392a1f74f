import { linkPolls } from '../../config/queues';
import {
  companyPages,
  fromSqlTime,
  placeholders,
  type Sql,
  toDatabaseUnavailable,
  toSqlTime,
  type UnitOfWork,
} from '../engine/db';
import { recordJob } from '../engine/jobs';
import type { Services } from '../services';
import { syncPaymentLink } from './syncPaymentLink';

const SOONEST_MS = 5 * 60_000;
const LATEST_MS = 24 * 3_600_000;
/** How long after its expiry a link is polled: the gateway has expired it by then. */
const AFTER_END_MS = 60_000;
/** The calls to the gateway that a poll makes: Stripe is asked for the link and for its sessions. */
const CALLS_OF_POLL = 2;

/**
 * Returns when a link is polled next: after a quarter of its age, at least five minutes and at most a day. So new links, the likeliest to
 * be paid, are polled most often. A link that expires before that is polled after its expiry. Usually a callback comes first.
 */
export function nextPoll(createdAt: Date, now: Date, expiresAt: Date | null = null): Date {
  const age = now.getTime() - createdAt.getTime();
  const next = now.getTime() + Math.min(LATEST_MS, Math.max(SOONEST_MS, age / 4));
  const end = (expiresAt?.getTime() ?? Infinity) + AFTER_END_MS;
  return new Date(end > now.getTime() ? Math.min(next, end) : next);
}

/** Returns how many links one scan may poll: at most half of the gateway's rate limit; the rest is for requests. */
function pollsOfScan(gatewayRate: number): number {
  const perSecond = gatewayRate === 0 ? linkPolls.perSecond : gatewayRate / 2 / CALLS_OF_POLL;
  return Math.max(1, Math.floor((perSecond * linkPolls.everyMs) / 1_000));
}

/**
 * Records a sync of up to `most` due links that have not ended. Companies take turns: the few due links of one are polled without waiting
 * for the many of another. The syncs of a company are due one after the other until the next scan, so that its other work does not meet all
 * of them. Safe in any number of processes at the same time. Returns how many were recorded.
 */
export async function pollPaymentLinks(
  services: Services,
  most = pollsOfScan(services.config.gateway.ratePerSecond),
): Promise<number> {
  let companies = await companiesWithDueLinks(services.sql, services.clock.now());
  // Starts with a random company, because there may be more companies than links to poll.
  const first = Math.floor(Math.random() * companies.length);
  companies = [...companies.slice(first), ...companies.slice(0, first)];
  let left = most;
  while (companies.length > 0 && left > 0) {
    const share = Math.max(1, Math.floor(left / companies.length));
    const further: number[] = [];
    for (const companyId of companies) {
      if (left <= 0) break;
      const limit = Math.min(share, left);
      const scope = { companyId, actor: 'schedule:pollPaymentLinks' };
      const recorded = await services.perform(scope, (uow) => recordSyncs(uow, limit)).catch(noneIfLocked);
      left -= recorded;
      if (recorded === limit) further.push(companyId);
    }
    companies = further;
  }
  return most - left;
}

/** A company whose rows are locked follows with a later poll, and does not end that of the others. */
function noneIfLocked(error: unknown): number {
  if (toDatabaseUnavailable(error)?.reason === 'contended') return 0;
  throw error;
}

const openStatuses = ['creating', 'superseded', 'processing', 'active'] as const;

/** Reads one index entry of each company and status, however many links there are; MySQL sorts them unless `companyId` is in the order. */
async function companiesWithDueLinks(sql: Sql, now: Date): Promise<number[]> {
  const first = openStatuses.map(
    (status) => `(SELECT pollAt FROM payment_links FORCE INDEX (payment_links_to_poll)
      WHERE companyId = companies.id AND status = '${status}' ORDER BY companyId, pollAt LIMIT 1) AS ${status}`,
  );
  const due: number[] = [];
  for await (const ids of companyPages(sql)) {
    const rows = await sql.rows<{ id: number } & Record<(typeof openStatuses)[number], string | null>>(
      `SELECT id, ${first.join(', ')} FROM companies WHERE id BETWEEN ? AND ?`,
      [ids[0] ?? 0, ids.at(-1) ?? 0],
    );
    const isDue = (pollAt: string | null): boolean => pollAt !== null && fromSqlTime(pollAt) <= now;
    due.push(...rows.filter((row) => openStatuses.some((status) => isDue(row[status]))).map(({ id }) => id));
  }
  return due;
}

interface DueLink {
  id: number;
  createdAt: string;
  expiresAt: string | null;
}

async function recordSyncs(uow: UnitOfWork, limit: number): Promise<number> {
  const { companyId, sql, now } = uow;
  const links = await lockDue(uow, limit);
  for (const [index, { id, createdAt, expiresAt }] of links.entries()) {
    const pollAt = nextPoll(fromSqlTime(createdAt), now, expiresAt === null ? null : fromSqlTime(expiresAt));
    await sql.run('UPDATE payment_links SET pollAt = ? WHERE companyId = ? AND id = ?', [
      toSqlTime(pollAt),
      companyId,
      id,
    ]);
    const availableAt = new Date(now.getTime() + (index * linkPolls.everyMs) / links.length);
    await recordJob(uow, syncPaymentLink, { paymentLinkId: id }, { availableAt });
  }
  return links.length;
}

/**
 * Locks due links of a company: half of them those that became due last, the other half those that have been due longest. So in a backlog
 * newly due links are still polled in time, and every link is polled eventually.
 */
async function lockDue({ sql, companyId, now }: UnitOfWork, limit: number): Promise<DueLink[]> {
  const found = new Set<number>();
  const add = async (status: string, order: 'ASC' | 'DESC', most: number): Promise<void> => {
    if (most <= 0) return;
    const rows = await sql.rows<{ id: number }>(
      `SELECT id FROM payment_links FORCE INDEX (payment_links_to_poll) WHERE companyId = ? AND status = ? AND pollAt <= ?
        ORDER BY pollAt ${order}, id ${order} LIMIT ${most}`,
      [companyId, status, toSqlTime(now)],
    );
    for (const { id } of rows) found.add(id);
  };
  await add('creating', 'ASC', limit);
  await add('superseded', 'ASC', limit - found.size);
  await add('processing', 'ASC', limit - found.size);
  await add('active', 'DESC', Math.ceil((limit - found.size) / 2));
  await add('active', 'ASC', limit - found.size);
  if (found.size === 0) return [];
  // By the primary key: a locking read of a range would lock the first entry after it as well, which is another company's.
  return sql.rows<DueLink>(
    `SELECT id, createdAt, expiresAt FROM payment_links FORCE INDEX (PRIMARY)
      WHERE companyId = ? AND id IN (${placeholders(found.size)}) AND status IN (${placeholders(openStatuses.length)}) AND pollAt <= ?
      FOR UPDATE SKIP LOCKED`,
    [companyId, ...found, ...openStatuses, toSqlTime(now)],
  );
}
