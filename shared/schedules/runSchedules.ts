import { emailOccurrences } from '../emails';
import { toDatabaseUnavailable } from '../engine/db';
import { overdueCalendar, previewOverdue, recurringInvoices } from '../invoices';
import { recurringExpenses } from '../expenses';
import { previewReminders, reminderCalendar } from '../reminders';
import { isUnavailable, previewSeries, seriesCalendar, type Calendar, type Scan } from '../recurrence';
import { serveInTurns, type CompanyTurn } from './serveInTurns';

interface Schedule {
  readonly calendar: Calendar;
  /** Reports the work that the calendar would do. Writes nothing. */
  readonly preview: (scan: Scan) => Promise<void>;
}

/** The calendars, in the order in which a company is served. */
const schedules = {
  expenses: { calendar: seriesCalendar(recurringExpenses), preview: (scan) => previewSeries(scan, recurringExpenses) },
  invoices: {
    calendar: seriesCalendar({ ...recurringInvoices, created: emailOccurrences }),
    preview: (scan) => previewSeries(scan, recurringInvoices),
  },
  overdue: { calendar: overdueCalendar, preview: previewOverdue },
  reminders: { calendar: reminderCalendar, preview: previewReminders },
} satisfies Record<string, Schedule>;

export type ScheduleName = keyof typeof schedules;
export const scheduleNames = Object.keys(schedules) as readonly ScheduleName[];
export const calendars = scheduleNames.map((name) => schedules[name].calendar);

/**
 * Makes due occurrences of recurring expenses and invoices, marks overdue invoices and requests reminders. Companies take turns, by the
 * time that their batches take. Reports to the scan's observer. Safe to run at any time, any number of times, in any number of processes at
 * the same time.
 * @param names the calendars to run; absent: all
 * @throws {ServiceUnavailable} when MySQL is unavailable; committed work stays. {@link Error} when the due work of one calendar could not
 * be read; the others have run.
 */
export async function runSchedules(scan: Scan, names: readonly ScheduleName[] = scheduleNames): Promise<void> {
  if (scan.signal?.aborted === true) return;
  const givenUp: unknown[] = [];
  const companies = new Map<number, Batches>();
  for (const name of names) {
    const { calendar } = schedules[name];
    try {
      for (const companyId of await calendar.due(scan)) {
        if (scan.restingCompanies?.has(calendar.name, companyId) === true) continue;
        const batches = companies.get(companyId) ?? [];
        companies.set(companyId, [...batches, batchesOf(scan, calendar, companyId)]);
      }
    } catch (error) {
      if (isUnavailable(error)) throw toDatabaseUnavailable(error) ?? error;
      givenUp.push(error);
    }
  }
  const { signal, longestMs } = scan;
  await serveInTurns([...companies.values()].map(inRotation), { signal, longestMs }).catch((error: unknown) =>
    Promise.reject(toDatabaseUnavailable(error) ?? (error as Error)),
  );
  if (givenUp.length > 0) throw givenUp[0];
}

/** Each does a batch of one calendar, and returns whether there may be more. */
type Batches = readonly (() => Promise<boolean>)[];

function batchesOf(scan: Scan, calendar: Calendar, companyId: number): () => Promise<boolean> {
  const { restingCompanies: resting } = scan;
  const { name } = calendar;
  const next = calendar.serve(scan, companyId);
  return async () => {
    const served = await next();
    if (served === 'failed') resting?.failed(name, companyId);
    if (served === 'done') resting?.succeeded(name, companyId);
    return served === 'more';
  };
}

/** The turn of a company: a batch of each of its calendars after the other. */
function inRotation(batches: Batches): CompanyTurn {
  const left = [...batches];
  return {
    async next() {
      const batch = left.shift();
      if (batch !== undefined && (await batch())) left.push(batch);
      return left.length > 0;
    },
  };
}

/** Reports the work that {@link runSchedules} would do. Writes nothing. */
export async function previewSchedules(scan: Scan, names: readonly ScheduleName[] = scheduleNames): Promise<void> {
  for (const name of names) await schedules[name].preview(scan);
}
