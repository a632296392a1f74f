import { placeholders, toSqlTime, type Sql } from '../kernel/database/sql';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { addDays, dayIn, LAST_DAY, startOfDay, type DateOnly } from '../dates/dates';
import { nextUpdatedAtSql } from '../kernel/records/nextUpdatedAt';
import { addToCount } from '../kernel/records/recordCounts';
import { recordEvents } from '../kernel/events/recordEvent';
import { invoiceEvents, type InvoiceFacts } from './events';
import { isUnavailable, type Scan } from '../recurrence';

/** Invoices of one transaction. */
const INVOICES = 200;
/** Companies of one query. */
const COMPANIES = 100;

interface Company {
  id: number;
  timezone: string;
}

/**
 * Marks invoices as `overdue` that were `sent` before the company's day began and are past their due date. By the clock, each
 * company is checked once a day; a change during the day takes effect on the next. As of a date, all companies are checked,
 * in addition to the daily check. Any number of scans may run at the same time.
 * @throws {ServiceUnavailable} when MySQL is unavailable.
 */
export async function markOverdue(scan: Scan): Promise<void> {
  await forEachCompany(scan, async (company) => {
    const today = todayOf(scan, company);
    const scope = { companyId: company.id, actor: 'schedule:overdue' };
    let found: number[];
    do {
      found = await scan.services.perform(scope, (uow) => markBatch(uow, today, company.timezone));
      found.forEach((id) => scan.observer.overdue(company.id, id));
    } while (found.length === INVOICES && scan.signal?.aborted !== true);
    if (scan.asOf === null && found.length < INVOICES) await closeDay(scan.services.sql, company, today);
  });
}

/** Reports what {@link markOverdue} would mark now. Writes nothing. */
export async function previewOverdue(scan: Scan): Promise<void> {
  await forEachCompany(scan, async (company) => {
    const { text, values } = overdue('id', company.id, todayOf(scan, company), company.timezone);
    const found = await scan.services.sql.rows<{ id: number }>(text, values);
    found.forEach(({ id }) => scan.observer.overdue(company.id, id));
  });
}

/** Checks the companies whose daily check is due; as of a date: all. Reports each company whose check fails. */
async function forEachCompany(scan: Scan, check: (company: Company) => Promise<void>): Promise<void> {
  const { services, asOf, observer, signal } = scan;
  const due = asOf === null ? 'overdueCheckAt <= ?' : '? IS NOT NULL';
  const now = toSqlTime(services.clock.now());
  for (let last = 0; ;) {
    const companies = await services.sql.rows<Company>(
      `SELECT id, timezone FROM companies WHERE ${due} AND id > ? ORDER BY id LIMIT ${COMPANIES}`,
      [now, last],
    );
    for (const company of companies) {
      if (signal?.aborted === true) return;
      await check(company).catch((error: unknown) => {
        if (isUnavailable(error)) throw error;
        observer.failed({ kind: 'overdue', companyId: company.id, id: null }, error);
      });
      last = company.id;
    }
    if (companies.length < COMPANIES) return;
  }
}

async function markBatch(uow: UnitOfWork, today: DateOnly, timezone: string): Promise<number[]> {
  const { text, values } = overdue('id, invoiceNumber, total, currency', uow.companyId, today, timezone);
  const rows = await uow.sql.rows<OverdueInvoice>(`${text} LIMIT ${INVOICES} FOR UPDATE`, values);
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
    invoiceEvents.overdue,
    rows.map(({ id, ...row }) => ({ id, data: { ...row, status: 'overdue', from: 'sent', asOf: today } })),
  );
  return ids;
}

type OverdueInvoice = Omit<InvoiceFacts, 'status'> & { id: number };

function overdue(
  columns: string,
  companyId: number,
  today: DateOnly,
  timezone: string,
): { text: string; values: (string | number)[] } {
  return {
    text: `SELECT ${columns} FROM invoices FORCE INDEX (invoices_by_status)
      WHERE companyId = ? AND softDelete = 0 AND status = 'sent' AND dueDate < ? AND sentAt < ?`,
    values: [companyId, today, toSqlTime(startOfDay(today, timezone))],
  };
}

/** Schedules the next check for the beginning of the company's next day, unless its time zone has changed meanwhile. */
async function closeDay(sql: Sql, { id, timezone }: Company, today: DateOnly): Promise<void> {
  const tomorrow = startOfDay(addDays(today, 1) ?? LAST_DAY, timezone);
  await sql.run('UPDATE companies SET overdueCheckAt = ? WHERE id = ? AND timezone = ?', [
    toSqlTime(tomorrow),
    id,
    timezone,
  ]);
}

function todayOf({ asOf, services }: Scan, { timezone }: Company): DateOnly {
  return asOf ?? dayIn(timezone, services.clock.now());
}
