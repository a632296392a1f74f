import { addDays, dayIn, hourOfDay, LAST_DAY, type DateOnly } from '../dates/dates';
import { recordReminderSkipped, requestInvoiceEmail, type SkipReason } from '../emails';
import { insertRows, placeholders, type Sql, toDatabaseUnavailable, toSqlTime, type UnitOfWork } from '../engine/db';
import { remindedSql } from '../invoices';
import { isUnavailable, type Calendar, type Scan } from '../recurrence';
import { type Days, type DueReminder, rangesOf, readDue } from './dueReminders';
import { reminderObstacles } from './reminderObstacles';

/** The hour of the company's day from which reminders go out. */
const HOUR = 9;
/** Companies of one scan by the clock. Others follow with the next scan. */
const COMPANIES = 10_000;

interface Company {
  id: number;
  timezone: string;
  reminderDays: string;
  remindedUntil: DateOnly | null;
}

/**
 * Records the due reminders and their e-mails. By the clock, each company is checked once a day, from 09:00; a change after that takes
 * effect on the next day. As of a date, every company is checked. Any number of scans may run at the same time.
 */
export const reminderCalendar: Calendar = {
  name: 'reminders',
  due: companiesToCheck,
  serve(scan, companyId) {
    let check: Check | null = null;
    let haveFailed = false;
    return async () => {
      try {
        check ??= await beginCheck(scan, companyId);
        const { company, days, batches } = check;
        const next = await batches.next();
        if (next.done !== true) {
          if (!(await recordAll(scan, companyId, next.value))) haveFailed = true;
          return 'more';
        }
        // The day stays open: the company rests, and a later scan retries the failed reminders.
        if (haveFailed) return 'failed';
        if (scan.asOf === null) await closeDay(scan.services.sql, company, days.until);
        return 'done';
      } catch (error) {
        if (isUnavailable(error)) throw error;
        scan.observer.failed({ kind: 'reminders', companyId, id: null }, error);
        return 'failed';
      }
    };
  },
};

/** The days of one check, with their reminders. Changes during a check are left to the next one. */
interface Check {
  company: Company;
  days: Days;
  batches: AsyncGenerator<DueReminder[]>;
}

async function beginCheck(scan: Scan, companyId: number): Promise<Check> {
  const { sql } = scan.services;
  const company = await readCompany(sql, companyId);
  const days = daysOf(scan, company);
  return { company, days, batches: batchesOf(sql, company, days) };
}

/**
 * Records reminders in one transaction; if that fails, each in its own, so that one invoice does not stop others. Returns whether all are
 * recorded.
 * @throws {DatabaseUnavailable} also when an invoice is locked: each further one may wait as long.
 */
async function recordAll(scan: Scan, companyId: number, due: readonly DueReminder[]): Promise<boolean> {
  try {
    const scope = { companyId, actor: 'schedule:reminders', requestId: scan.requestId ?? null };
    const done = await scan.services.perform(scope, (uow) => record(uow, due));
    for (const { id, reason } of done) scan.observer.reminded?.(companyId, id, reason);
    return true;
  } catch (error) {
    const [first] = due;
    if (isUnavailable(error) || first === undefined) throw error;
    if (due.length === 1) {
      if (toDatabaseUnavailable(error) !== null) throw error;
      scan.observer.failed({ kind: 'reminders', companyId, id: first.id }, error);
      return false;
    }
    const recorded: boolean[] = [];
    for (const one of due) recorded.push(await recordAll(scan, companyId, [one]));
    return recorded.every(Boolean);
  }
}

/** Reports the reminders that {@link reminderCalendar} would record now. Writes nothing. */
export async function previewReminders(scan: Scan): Promise<void> {
  const { sql } = scan.services;
  for (const companyId of await companiesToCheck(scan)) {
    try {
      const company = await readCompany(sql, companyId);
      for await (const due of batchesOf(sql, company, daysOf(scan, company))) {
        const ids = due.map(({ id }) => id);
        const obstacles = await reminderObstacles({ sql, companyId }, ids);
        for (const id of ids) scan.observer.reminded?.(companyId, id, obstacles.get(id) ?? null);
      }
    } catch (error) {
      if (isUnavailable(error)) throw error;
      scan.observer.failed({ kind: 'reminders', companyId, id: null }, error);
    }
  }
}

async function companiesToCheck({ services: { sql, clock }, asOf, companyId }: Scan): Promise<number[]> {
  const due = asOf === null ? 'reminderCheckAt <= ?' : 'reminderCheckAt IS NOT NULL';
  const rows = await sql.rows<{ id: number }>(
    `SELECT id FROM companies FORCE INDEX (companies_reminder_check)
      WHERE ${due} ${companyId === undefined ? '' : 'AND id = ?'}
      ORDER BY reminderCheckAt, id ${asOf === null ? `LIMIT ${COMPANIES}` : ''}`,
    [...(asOf === null ? [toSqlTime(clock.now())] : []), ...(companyId === undefined ? [] : [companyId])],
  );
  return rows.map(({ id }) => id);
}

async function readCompany(sql: Sql, id: number): Promise<Company> {
  const [company] = await sql.rows<Company>(
    'SELECT id, timezone, reminderDays, remindedUntil FROM companies WHERE id = ?',
    [id],
  );
  if (company === undefined) throw new Error(`company ${id} does not exist`);
  return company;
}

/** The day itself is always included, so that a scan as of a date can repeat it. Earlier days are included if they were missed. */
function daysOf({ asOf, services: { clock } }: Scan, { timezone, remindedUntil }: Company): Days {
  const today = dayIn(timezone, clock.now());
  const isBegun = clock.now() >= hourOfDay(today, HOUR, timezone);
  const until = asOf ?? (isBegun ? today : before(today));
  if (remindedUntil === null) return { after: before(until), until };
  // Before 09:00 of the day of a change, nothing is due.
  if (asOf === null) return { after: remindedUntil, until };
  return { after: remindedUntil < before(until) ? remindedUntil : before(until), until };
}

const before = (day: DateOnly): DateOnly => addDays(day, -1) ?? day;

async function* batchesOf(sql: Sql, { id, reminderDays }: Company, days: Days): AsyncGenerator<DueReminder[]> {
  for (const range of rangesOf(JSON.parse(reminderDays) as number[], days)) {
    for (let position: DueReminder | null = null; ;) {
      const { due, last }: Awaited<ReturnType<typeof readDue>> = await readDue(sql, id, range, position);
      if (due.length > 0) yield due;
      if (last === null) break;
      position = last;
    }
  }
}

interface Recorded {
  id: number;
  /** Null: its e-mail was requested. */
  reason: SkipReason | null;
}

/**
 * Records those that are still due and not recorded. Whoever records a reminder holds the lock of its invoice, so what is read under
 * the locks stays true; the primary key of a reminder allows it once all the same.
 */
async function record(uow: UnitOfWork, due: readonly DueReminder[]): Promise<Recorded[]> {
  const { sql, companyId } = uow;
  const given = [companyId, ...due.map(({ id }) => id)];
  const locked = await sql.rows<{ id: number; dueDate: DateOnly }>(
    `SELECT id, dueDate FROM invoices FORCE INDEX (PRIMARY) WHERE companyId = ? AND id IN (${placeholders(due.length)})
      AND softDelete = 0 AND status IN (${remindedSql}) ORDER BY id FOR UPDATE`,
    given,
  );
  const recorded = await sql.rows<DueReminder>(
    `SELECT invoiceId AS id, dueDate, relativeDay FROM reminders WHERE companyId = ? AND invoiceId IN (${placeholders(due.length)})`,
    given,
  );
  const dueDates = new Map(locked.map(({ id, dueDate }) => [id, dueDate]));
  const before = new Set(recorded.map(keyOf));
  const open = due.filter((one) => dueDates.get(one.id) === one.dueDate && !before.has(keyOf(one)));
  const obstacles = await reminderObstacles(
    uow,
    open.map(({ id }) => id),
  );
  const rows = [];
  for (const one of open) {
    const { id, dueDate, relativeDay } = one;
    const reason = obstacles.get(id);
    const email = reason === undefined ? await requestInvoiceEmail(uow, id, {}, 'reminder') : null;
    if (reason !== undefined) recordReminderSkipped(uow, id, one, reason);
    rows.push({ companyId, invoiceId: id, dueDate, relativeDay, emailId: email?.emailId ?? null, createdAt: uow.now });
  }
  await insertRows(sql, 'reminders', rows);
  return open.map(({ id }) => ({ id, reason: obstacles.get(id) ?? null }));
}

const keyOf = ({ id, dueDate, relativeDay }: DueReminder): string => `${id} ${dueDate} ${relativeDay}`;

/** Schedules the next check for 09:00 of the next day, unless the company's days or time zone have changed meanwhile. */
async function closeDay(sql: Sql, company: Company, until: DateOnly): Promise<void> {
  const { id, timezone, reminderDays, remindedUntil } = company;
  const next = hourOfDay(addDays(until, 1) ?? LAST_DAY, HOUR, timezone);
  const last = remindedUntil !== null && remindedUntil > until ? remindedUntil : until;
  await sql.run(
    'UPDATE companies SET reminderCheckAt = ?, remindedUntil = ? WHERE id = ? AND timezone = ? AND reminderDays = ?',
    [toSqlTime(next), last, id, timezone, reminderDays],
  );
}
