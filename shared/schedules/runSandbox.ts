import { addDays, type DateOnly, dayIn, daysBetween, LAST_DAY } from '../dates/dates';
import { placeholders, type Sql, type UnitOfWork } from '../engine/db';
import { AppError, Conflict, ValidationFailed } from '../engine/errors';
import { remindedSql } from '../invoices';
import type { Scan, Served } from '../recurrence';
import type { Services } from '../services';
import { calendars } from './runSchedules';
import { SchedulesReport } from './SchedulesReport';

/** Days of one call. */
const MOST_DAYS = 400;
/** A call ends once it has reached either: its response and its time are limited. */
const MOST_DONE = 10_000;
const LONGEST_MS = 50_000;

/**
 * Runs the calendar of a sandbox company up to the end of a day, each day in order, so that each reminder goes out. Safe to repeat, also
 * after a crash. The caller records the day that was reached ({@link reachSandboxDay}).
 * @param pause waited for after each batch, so that other work comes in between. It is given how many e-mails the batch has requested, and
 * returns whether the run may go on.
 * @returns the outcome, and the day that was reached: earlier than `asOf` after a failure or at the limit of one call
 * @throws {Conflict} `not_a_sandbox`, `clock_backwards`; {@link ValidationFailed} for more than {@link MOST_DAYS} days.
 */
export async function runSandbox(
  services: Services,
  { companyId, requestId }: { companyId: number; requestId: string | null },
  asOf: DateOnly,
  pause: (emails: number) => Promise<boolean>,
): Promise<{ reached: DateOnly; report: SchedulesReport }> {
  const { last, reminderDays } = await startOf(services, companyId);
  if (asOf < last) throw new Conflict('clock_backwards', `the sandbox has reached ${last}, and no day comes back`);
  if (daysBetween(last, asOf) > MOST_DAYS) {
    throw ValidationFailed.at('asOf', `must be at most ${MOST_DAYS} days after ${last}`);
  }
  const report = new SchedulesReport();
  const until = performance.now() + LONGEST_MS;
  let mayGoOn = true;
  const isFull = (): boolean => !mayGoOn || report.done >= MOST_DONE || performance.now() >= until;
  let reached = last;
  while (reached < asOf && !isFull()) {
    const day = addDays(reached, 1) ?? LAST_DAY;
    // The first day runs all calendars: an earlier call may have ended within it.
    const due = reached === last ? null : await dueOn(services.sql, companyId, day, reminderDays);
    const scan: Scan = { services, requestId, asOf: day, wait: true, observer: observerOf(services, report) };
    for (const calendar of calendars.filter(({ name }) => due?.[name] !== 0)) {
      const serve = calendar.serve(scan, companyId);
      const next = async (): Promise<Served> => {
        const before = report.emails;
        const served = await serve();
        mayGoOn = await pause(report.emails - before);
        return served;
      };
      while ((await next()) === 'more') {
        // The next call does the rest of the day.
        if (isFull()) return { reached, report };
      }
    }
    if (report.hasFailures) break;
    reached = day;
  }
  return { reached, report };
}

/** Records the day that a sandbox has reached. Of two calls at the same time, the later day stays. */
export async function reachSandboxDay({ sql, companyId }: UnitOfWork, day: DateOnly): Promise<void> {
  await sql.run('UPDATE companies SET sandboxDay = ? WHERE id = ? AND sandboxDay < ?', [day, companyId, day]);
}

/** Returns the last finished day, at least yesterday: earlier days belong to the clock. @throws {Conflict} `not_a_sandbox` */
async function startOf(
  { sql, clock }: Services,
  companyId: number,
): Promise<{ last: DateOnly; reminderDays: readonly number[] }> {
  const [company] = await sql.rows<{ sandboxDay: DateOnly | null; timezone: string; reminderDays: string }>(
    'SELECT sandboxDay, timezone, reminderDays FROM companies WHERE id = ?',
    [companyId],
  );
  if (company === undefined || company.sandboxDay === null) {
    throw new Conflict('not_a_sandbox', 'only a company that was created as a sandbox can ask for days to come');
  }
  const yesterday = addDays(dayIn(company.timezone, clock.now()), -1) ?? company.sandboxDay;
  const last = company.sandboxDay > yesterday ? company.sandboxDay : yesterday;
  return { last, reminderDays: JSON.parse(company.reminderDays) as number[] };
}

/** Callers do not read the details of internal errors. The log has them. */
function observerOf({ log }: Services, report: SchedulesReport): Scan['observer'] {
  return {
    created: (...made) => report.created(...made),
    emailed: (count) => report.emailed(count),
    overdue: (...marked) => report.overdue(...marked),
    reminded: (...reminded) => report.reminded(...reminded),
    failed: (subject, error) => {
      log.error({ err: error, ...subject }, 'a schedule of a sandbox failed');
      const shown =
        error instanceof AppError ? error : new AppError('internal_error', 'the log has it', { status: 500 });
      report.failed(subject, shown);
    },
  };
}

/** Returns the calendars with possible work, by name. One statement; on most days there are few. */
async function dueOn(
  sql: Sql,
  companyId: number,
  day: DateOnly,
  reminderDays: readonly number[],
): Promise<Record<string, 0 | 1>> {
  const series = (table: string): string =>
    `EXISTS (SELECT 1 FROM ${table} FORCE INDEX (${table}_due) WHERE companyId = ? AND dueAt <= ? AND nextDueDate <= ?)`;
  const open = (which: string): string =>
    `EXISTS (SELECT 1 FROM invoices FORCE INDEX (invoices_overdue) WHERE companyId = ? AND softDelete = 0 AND ${which})`;
  const remindedOf = reminderDays.map((relativeDay) => addDays(day, -relativeDay) ?? day);
  // A list of no values is no SQL.
  const dueDates = remindedOf.length === 0 ? [LAST_DAY] : remindedOf;
  const ofSeries = [companyId, `${day} 12:00:00.000`, day];
  const [due] = await sql.rows<Record<string, 0 | 1>>(
    `SELECT ${series('expenses')} AS 'recurring expenses', ${series('invoices')} AS 'recurring invoices',
       ${open("status = 'sent' AND dueDate < ?")} AS 'overdue invoices',
       ${open(`status IN (${remindedSql}) AND dueDate IN (${placeholders(dueDates.length)})`)} AS reminders`,
    [...ofSeries, ...ofSeries, companyId, day, companyId, ...dueDates],
  );
  return due ?? {};
}
