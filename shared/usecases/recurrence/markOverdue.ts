import { placeholders, toSqlTime, type Sql } from '../../database/sql';
import type { UnitOfWork } from '../../database/unitOfWork';
import { addDays, dayIn, LAST_DAY, startOfDay, type DateOnly } from '../../domain/dates';
import { nextUpdatedAtSql } from '../nextUpdatedAt';
import { addToCount } from '../recordCounts';
import { recordEvents } from '../recordEvent';
import { isAway } from './rollSeries';
import type { Sweep } from './Sweep';

/** Invoices of one transaction, and companies of one look. */
const INVOICES = 200;
const COMPANIES = 100;

interface Company {
  id: number;
  timezone: string;
}

/**
 * Once in each company's day: invoices that were `sent` before the day began and are past their due date become `overdue`.
 * What changes during the day is seen on the next. As of a date, all companies are looked through, and their own day still
 * is. Any number may run at once.
 * @throws {ServiceUnavailable} when MySQL is away.
 */
export async function markOverdue(sweep: Sweep): Promise<void> {
  await forEachCompany(sweep, async (company) => {
    const today = todayOf(sweep, company);
    const scope = { companyId: company.id, actor: 'schedule:overdue' };
    let found: number[];
    do {
      found = await sweep.services.perform(scope, (uow) => markBatch(uow, today, company.timezone));
      found.forEach((id) => sweep.observer.overdue(company.id, id));
    } while (found.length === INVOICES && sweep.signal?.aborted !== true);
    if (sweep.asOf === null && found.length < INVOICES) await closeDay(sweep.services.sql, company, today);
  });
}

/** What {@link markOverdue} would mark now. */
export async function previewOverdue(sweep: Sweep): Promise<void> {
  await forEachCompany(sweep, async (company) => {
    const { text, values } = overdue(company.id, todayOf(sweep, company), company.timezone);
    const found = await sweep.services.sql.rows<{ id: number }>(text, values);
    found.forEach(({ id }) => sweep.observer.overdue(company.id, id));
  });
}

/** By the clock: the companies whose day has not been looked through; as of a date: all. */
async function forEachCompany(sweep: Sweep, look: (company: Company) => Promise<void>): Promise<void> {
  const { services, asOf, observer, signal } = sweep;
  const due = asOf === null ? 'overdueCheckAt <= ?' : '? IS NOT NULL';
  const now = toSqlTime(services.clock.now());
  for (let last = 0; ;) {
    const companies = await services.sql.rows<Company>(
      `SELECT id, timezone FROM companies WHERE ${due} AND id > ? ORDER BY id LIMIT ${COMPANIES}`,
      [now, last],
    );
    for (const company of companies) {
      if (signal?.aborted === true) return;
      await look(company).catch((error: unknown) => {
        if (isAway(error)) throw error;
        observer.failed({ kind: 'overdue', companyId: company.id, id: null }, error);
      });
      last = company.id;
    }
    if (companies.length < COMPANIES) return;
  }
}

async function markBatch(uow: UnitOfWork, today: DateOnly, timezone: string): Promise<number[]> {
  const { text, values } = overdue(uow.companyId, today, timezone);
  const rows = await uow.sql.rows<{ id: number }>(`${text} LIMIT ${INVOICES} FOR UPDATE`, values);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return ids;
  await uow.sql.run(
    `UPDATE invoices SET status = 'overdue',
        updatedAt = ${nextUpdatedAtSql}
      WHERE companyId = ? AND id IN (${placeholders(ids.length)})`,
    [toSqlTime(uow.now), uow.companyId, ...ids],
  );
  await addToCount(uow, 'invoice', { status: 'sent', softDelete: false }, -ids.length);
  await addToCount(uow, 'invoice', { status: 'overdue', softDelete: false }, ids.length);
  await recordEvents(
    uow,
    'invoice.overdue',
    'invoice',
    ids.map((id) => ({ id, data: { from: 'sent', asOf: today } })),
  );
  return ids;
}

function overdue(companyId: number, today: DateOnly, timezone: string): { text: string; values: (string | number)[] } {
  return {
    text: `SELECT id FROM invoices FORCE INDEX (invoices_by_status)
      WHERE companyId = ? AND softDelete = 0 AND status = 'sent' AND dueDate < ? AND sentAt < ?`,
    values: [companyId, today, toSqlTime(startOfDay(today, timezone))],
  };
}

/** The next look is due when the company's next day begins; unless its time zone has been changed meanwhile. */
async function closeDay(sql: Sql, { id, timezone }: Company, today: DateOnly): Promise<void> {
  const tomorrow = startOfDay(addDays(today, 1) ?? LAST_DAY, timezone);
  await sql.run('UPDATE companies SET overdueCheckAt = ? WHERE id = ? AND timezone = ?', [
    toSqlTime(tomorrow),
    id,
    timezone,
  ]);
}

function todayOf({ asOf, services }: Sweep, { timezone }: Company): DateOnly {
  return asOf ?? dayIn(timezone, services.clock.now());
}
