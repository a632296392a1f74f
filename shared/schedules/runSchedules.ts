import { emailOccurrences } from '../emails';
import { toDatabaseUnavailable } from '../engine/db';
import { overdueCalendar, previewOverdue, recurringInvoices } from '../invoices';
import { recurringExpenses } from '../expenses';
import { previewReminders, reminderCalendar } from '../reminders';
import { isUnavailable, previewSeries, seriesCalendar, type Calendar, type Scan } from '../recurrence';
import { serveInTurns, type Turn } from './serveInTurns';

/** What falls due, in the order in which a company is served. */
export const calendars: readonly Calendar[] = [
  seriesCalendar(recurringExpenses),
  seriesCalendar({ ...recurringInvoices, created: emailOccurrences }),
  overdueCalendar,
  reminderCalendar,
];

/**
 * Makes due occurrences of recurring expenses and invoices, marks overdue invoices and requests reminders. Companies take turns, by the time that their
 * batches take. Reports to the scan's observer. Safe to run at any time, any number of times, in any number of processes at the same
 * time.
 * @throws {ServiceUnavailable} when MySQL is unavailable; committed work stays. {@link Error} when what is due could not be read for one
 * of the calendars; the others have run.
 */
export async function runSchedules(scan: Scan): Promise<void> {
  if (scan.signal?.aborted === true) return;
  const givenUp: unknown[] = [];
  const companies = new Map<number, Batches>();
  for (const calendar of calendars) {
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
function inRotation(batches: Batches): Turn {
  const left = [...batches];
  return {
    async next() {
      const batch = left.shift();
      if (batch !== undefined && (await batch())) left.push(batch);
      return left.length > 0;
    },
  };
}

/** Reports what {@link runSchedules} would do. Writes nothing. */
export async function previewSchedules(scan: Scan): Promise<void> {
  await previewSeries(scan, recurringExpenses);
  await previewSeries(scan, recurringInvoices);
  await previewOverdue(scan);
  await previewReminders(scan);
}
