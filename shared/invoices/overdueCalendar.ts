import { allCompanies, placeholders, type Sql, toSqlTime, type UnitOfWork } from '../engine/db';
import { addDays, dayIn, LAST_DAY, startOfDay, type DateOnly } from '../dates/dates';
import { addToCounts, nextUpdatedAtSql } from '../engine/records';
import { recordEvent } from '../engine/events';
import { externalIdSql } from './details';
import { invoiceEvents, invoiceFacts, type InvoiceFacts } from './events';
import { isUnavailable, type Calendar, type Scan } from '../recurrence';

/** Invoices of one transaction. */
const INVOICES = 200;
/** Companies of one scan by the clock. Others follow with the next scan. */
const COMPANIES = 10_000;

interface Company {
  id: number;
  timezone: string;
}

/**
 * Marks invoices as `overdue` that were `sent` before the company's day began and are past their due date. By the clock, each
 * company is checked once a day; a change during the day takes effect on the next. As of a date, all companies are checked,
 * in addition to the daily check. Any number of scans may run at the same time.
 */
export const overdueCalendar: Calendar = {
  name: 'overdue invoices',
  due: companiesToCheck,
  serve(scan, companyId) {
    let after: Position | null = null;
    return async () => {
      try {
        const company = await readCompany(scan.services.sql, companyId);
        const today = todayOf(scan, company);
        const scope = { companyId, actor: 'schedule:overdue' };
        const { marked, last } = await scan.services.perform(scope, (uow) => markBatch(uow, today, company, after));
        for (const id of marked) scan.observer.overdue(companyId, id);
        after = last;
        if (last !== null) return 'more';
        if (scan.asOf === null) await closeDay(scan.services.sql, company, today);
        return 'done';
      } catch (error) {
        if (isUnavailable(error)) throw error;
        scan.observer.failed({ kind: 'overdue', companyId, id: null }, error);
        return 'failed';
      }
    };
  },
};

/** Reports the invoices that {@link overdueCalendar} would mark now. Writes nothing. */
export async function previewOverdue(scan: Scan): Promise<void> {
  const { sql } = scan.services;
  for (const companyId of await companiesToCheck(scan)) {
    try {
      const company = await readCompany(sql, companyId);
      for (let after: Position | null = null; ;) {
        const { overdue, last }: Batch = await readBatch(sql, todayOf(scan, company), company, after);
        for (const { id } of overdue) scan.observer.overdue(companyId, id);
        if (last === null) break;
        after = last;
      }
    } catch (error) {
      if (isUnavailable(error)) throw error;
      scan.observer.failed({ kind: 'overdue', companyId, id: null }, error);
    }
  }
}

/** Returns the companies whose daily check is due, those that have waited longest first; as of a date: all. */
async function companiesToCheck({ services: { sql, clock }, asOf, companyId }: Scan): Promise<number[]> {
  if (asOf !== null) return companyId === undefined ? allCompanies(sql) : [companyId];
  const rows = await sql.rows<{ id: number }>(
    `SELECT id FROM companies FORCE INDEX (companies_overdue_check)
      WHERE overdueCheckAt <= ? ${companyId === undefined ? '' : 'AND id = ?'}
      ORDER BY overdueCheckAt, id LIMIT ${COMPANIES}`,
    [toSqlTime(clock.now()), ...(companyId === undefined ? [] : [companyId])],
  );
  return rows.map(({ id }) => id);
}

async function readCompany(sql: Sql, id: number): Promise<Company> {
  const [company] = await sql.rows<Company>('SELECT id, timezone FROM companies WHERE id = ?', [id]);
  if (company === undefined) throw new Error(`company ${id} does not exist`);
  return company;
}

async function markBatch(
  uow: UnitOfWork,
  today: DateOnly,
  company: Company,
  after: Position | null,
): Promise<{ marked: number[]; last: Position | null }> {
  const { overdue, last } = await readBatch(uow.sql, today, company, after, 'FOR UPDATE');
  const marked = overdue.map(({ id }) => id);
  if (marked.length === 0) return { marked, last };
  await uow.sql.run(
    `UPDATE invoices SET status = 'overdue',
        updatedAt = ${nextUpdatedAtSql}
      WHERE companyId = ? AND id IN (${placeholders(marked.length)})`,
    [toSqlTime(uow.now), uow.companyId, ...marked],
  );
  await addToCounts(uow, 'invoice', [
    { status: 'sent', softDelete: false, by: -marked.length },
    { status: 'overdue', softDelete: false, by: marked.length },
  ]);
  for (const invoice of overdue) {
    const facts = invoiceFacts({ ...invoice, status: 'overdue' });
    recordEvent(uow, invoiceEvents.overdue, invoice.id, { ...facts, from: 'sent', asOf: today });
  }
  return { marked, last };
}

/** Where a batch begins: after this invoice, in the order of the index. */
interface Position {
  dueDate: DateOnly;
  id: number;
}

interface Batch {
  overdue: OverdueInvoice[];
  /** Where the next batch begins; null when this was the last one. */
  last: Position | null;
}

type OverdueInvoice = Omit<InvoiceFacts, 'status'> & { id: number };

/**
 * Reads the next sent invoices that are past their due date, and locks those that are overdue. Those that were sent after the day began
 * are not overdue before the next day; `after` keeps the batches from reading them again.
 */
async function readBatch(
  sql: Sql,
  today: DateOnly,
  { id: companyId, timezone }: Company,
  after: Position | null,
  lock: 'FOR UPDATE' | '' = '',
): Promise<Batch> {
  const began = toSqlTime(startOfDay(today, timezone));
  const from = after === null ? '' : 'AND (dueDate > ? OR (dueDate = ? AND id > ?))';
  const found = await sql.rows<Position & { isOverdue: 0 | 1 | null }>(
    `SELECT id, dueDate, sentAt < ? AS isOverdue FROM invoices FORCE INDEX (invoices_overdue)
      WHERE companyId = ? AND softDelete = 0 AND status = 'sent' AND dueDate < ? ${from} ORDER BY dueDate, id LIMIT ${INVOICES}`,
    [began, companyId, today, ...(after === null ? [] : [after.dueDate, after.dueDate, after.id])],
  );
  const last = found.length < INVOICES ? null : (found.at(-1) ?? null);
  const ids = found.filter(({ isOverdue }) => isOverdue === 1).map(({ id }) => id);
  if (ids.length === 0) return { overdue: [], last };
  // By the primary key: a locking read of a range would lock the first entry after it as well.
  const overdue = await sql.rows<OverdueInvoice>(
    `SELECT id, invoiceNumber, total, currency, clientId, ${externalIdSql('invoices')} AS externalId
       FROM invoices FORCE INDEX (PRIMARY)
      WHERE companyId = ? AND id IN (${placeholders(ids.length)}) AND softDelete = 0 AND status = 'sent' AND dueDate < ?
        AND sentAt < ? ORDER BY dueDate, id ${lock}`,
    [companyId, ...ids, today, began],
  );
  return { overdue, last };
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
