import fc from 'fast-check';
import { DateTime } from 'luxon';
import { updateExpense } from '../../../shared/expenses';
import { updateInvoice } from '../../../shared/invoices';
import { reports } from '../../../shared/reports';
import type { Services } from '../../../shared/services';
import { createCategory, createClient, createCompany, createExpense, createInvoice } from '../../support/factories';
import { openTestServices } from '../../support/installation';
import { SetClock } from '../../support/schedules';

// At this instant it is June 1, 2 and 1 in the zones below.
const now = new Date('2026-06-01T11:00:00Z');
const zones = ['UTC', 'Pacific/Kiritimati', 'Pacific/Honolulu'];
const units = { daily: 'days', weekly: 'weeks', monthly: 'months', yearly: 'years' } as const;

interface Series {
  type: 'expense' | 'invoice';
  recurring: keyof typeof units;
  every: number;
  /** Its own date, in days from June 1. */
  begins: number;
  /** How many days after its next date it ends. */
  endsAfter: number | null;
  paused: 'no' | 'paused' | 'resumed';
}
const series: fc.Arbitrary<Series> = fc.record({
  type: fc.constantFrom('expense', 'invoice'),
  recurring: fc.constantFrom('daily', 'weekly', 'monthly', 'yearly'),
  every: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 36 })),
  begins: fc.integer({ min: -400, max: 60 }),
  endsAfter: fc.option(fc.nat(200)),
  paused: fc.constantFrom('no', 'no', 'paused', 'resumed'),
});
const books = fc.record({
  timezone: fc.constantFrom(...zones),
  all: fc.array(series, { minLength: 1, maxLength: 4 }),
  from: fc.integer({ min: -10, max: 200 }),
  days: fc.integer({ min: 0, max: 365 }),
});

const text = (day: DateTime): string => day.toFormat('yyyy-MM-dd');
const inDays = (days: number): DateTime => DateTime.fromISO('2026-06-01', { zone: 'utc' }).plus({ days });

/** The dates that luxon counts from a series' own one, from the day on which it was made. */
function datesOf({ recurring, every, begins, endsAfter }: Omit<Series, 'type' | 'paused'>, today: string) {
  const date = (n: number): DateTime => inDays(begins).plus({ [units[recurring]]: n * every });
  const dates: string[] = [];
  for (let n = 1; n <= 1_000 && date(n).year <= 9999; n++) dates.push(text(date(n)));
  const left = dates.filter((date) => date >= today);
  const [next = ''] = left;
  const endsOn = endsAfter === null ? null : text(DateTime.fromISO(next, { zone: 'utc' }).plus({ days: endsAfter }));
  return { endsOn, dates: left.filter((date) => endsOn === null || date <= endsOn) };
}

const breathe = (): Promise<void> => Promise.resolve();
let services: Services;
beforeAll(async () => {
  services = await openTestServices({ clock: new SetClock(now.toISOString()) });
});

test('upcoming › of series with any period, end and pause › is what a calendar of luxon counts', async () => {
  await fc.assert(
    fc.asyncProperty(books, async ({ timezone, all, from, days }) => {
      const today = DateTime.fromJSDate(now, { zone: timezone }).toFormat('yyyy-MM-dd');
      const range = { from: text(inDays(from)), to: text(inDays(from + days)) };
      const { companyId } = await createCompany(services, { timezone });
      const [category, client] = [await createCategory(services, companyId), await createClient(services, companyId)];
      const expected: string[] = [];
      for (const one of all) {
        const { endsOn, dates } = datesOf(one, today);
        const id = await make(companyId, { category, client }, { ...one, endsOn });
        if (one.paused === 'paused') continue;
        const within = dates.filter((date) => date >= range.from && date <= range.to);
        expected.push(...within.map((date) => `${date} ${one.type} ${id}`));
      }
      const { data } = await reports.Upcoming.read({ sql: services.sql, companyId, now, breathe }, range);
      const reported = data as { date: string; series: { type: string; id: number } }[];
      const told = reported.map(({ date, series: of }) => `${date} ${of.type} ${of.id}`);
      expect([...told].sort()).toEqual(expected.sort());
    }),
    { numRuns: 25 },
  );
});

test('upcoming › of 1,000 series › lets other requests run after each 500, and before the dates are summed', async () => {
  const one = {
    recurring: 'monthly',
    every: 1,
    nextDueDate: '2026-07-01',
    endsOn: null,
    amount: '1.00',
    currency: 'IDR',
  };
  const series = { ...one, anchorDate: '2026-07-01', recurringSince: '2026-06-01' };
  const rows = jest.fn((text: string) =>
    Promise.resolve(
      text.includes('timezone')
        ? [{ timezone: 'UTC' }]
        : text.includes('FROM invoices s') && !text.includes('seriesId')
          ? Array.from({ length: 1_000 }, (_, id) => ({ ...series, id }))
          : [],
    ),
  );
  const breathed = jest.fn(breathe);
  const reader = { sql: { ...services.sql, rows: rows as never }, companyId: 1, now, breathe: breathed };
  const { data } = await reports.Upcoming.read(reader, { from: '2026-07-01', to: '2026-07-31' });
  expect(data).toHaveLength(1_000);
  expect(breathed).toHaveBeenCalledTimes(3);
});

/** Makes a record, then a series of it, and pauses it. */
async function make(
  companyId: number,
  { category, client }: { category: { id: number }; client: { id: number } },
  { type, recurring, every, begins, endsOn, paused }: Series & { endsOn: string | null },
): Promise<number> {
  const date = text(inDays(begins));
  const change = (id: number, changes: object) =>
    services.perform({ companyId, actor: 'test' }, async (uow) => {
      await (type === 'expense' ? updateExpense(uow, id, changes) : updateInvoice(uow, id, changes));
    });
  const { id } =
    type === 'expense'
      ? await createExpense(services, companyId, { categoryId: category.id, expenseDate: date })
      : await createInvoice(services, companyId, { clientId: client.id, issueDate: date, dueDate: date });
  await change(id, { recurring, every, endsOn });
  if (paused !== 'no') await change(id, { paused: true });
  if (paused === 'resumed') await change(id, { paused: false });
  return id;
}
