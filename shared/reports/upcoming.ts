import { dayIn, endOfDay, type DateOnly } from '../dates/dates';
import { toSqlTime } from '../engine/db';
import { currency, day, decimalText, named, recordId, responseBody } from '../engine/schemas';
import { recurringExpenses } from '../expenses';
import { companyTimezone, recurringInvoices } from '../invoices';
import { parseDecimal, type Hundredths } from '../money/money';
import { datesBetween, type PlannableSeries } from '../recurrence';
import { countColumn } from './columns';
import { periodColumn } from './periods';
import { daysFrom, type Range, rangeOf, type RangeQuery } from './range';
import { checkRows, describeRows, MAX_ROWS, type Reader, type Report, tooLarge } from './Report';

type SeriesType = 'expense' | 'invoice';

/** Series that are planned in one turn of the event loop: some milliseconds. */
const AT_A_TIME = 500;

/** What will be created for one date of a series. */
interface Upcoming {
  date: DateOnly;
  series: { type: SeriesType; id: number };
  amount: string;
  currency: string;
}

interface SeriesRow extends PlannableSeries {
  id: number;
  amount: string;
  currency: string;
}

const type = { type: 'string', enum: ['expense', 'invoice'] };
const rows = responseBody({
  date: day,
  series: named('SeriesReference', responseBody({ type, id: recordId })),
  amount: decimalText,
  currency,
});

/** What recurring expenses and invoices will create, by the calendar that creates it. */
export const upcoming: Report<RangeQuery> = {
  name: 'upcoming',
  summary: 'Report what recurring expenses and invoices will create, and its sums by month',
  query: {
    from: { ...day, description: "The first day; without it the company's today." },
    to: { ...day, description: 'The last day, included; without it 90 days after `from`.' },
  },
  rows: {
    schema: named('UpcomingRow', rows),
    columns: () => ['date', 'series.type', 'series.id', 'amount', 'currency'],
  },
  beside: {
    months: {
      type: 'array',
      items: describeRows(
        'UpcomingMonth',
        { month: { period: periodColumn, type } },
        { sum: decimalText, count: countColumn('Dates.') },
        () => 'month',
        currency,
      ).schema,
    },
  },
  async read(reader, query) {
    const { sql, companyId, now } = reader;
    const timezone = await companyTimezone(sql, companyId);
    const range = rangeOf(query, daysFrom(dayIn(timezone, now)));
    const before = toSqlTime(endOfDay(range.to, timezone));
    const data = [...(await plan(reader, 'expense', range, before)), ...(await plan(reader, 'invoice', range, before))];
    checkRows(data.length);
    data.sort((a, b) => compare(a.date, b.date) || compare(a.series.type, b.series.type) || a.series.id - b.series.id);
    await reader.breathe();
    return { data, months: monthsOf(data) };
  },
};

const kinds = {
  expense: { table: recurringExpenses.table, amount: 's.amount' },
  invoice: { table: recurringInvoices.table, amount: 's.total' },
} as const;

/** Reads the series of one type that have a date before an instant, and plans their dates. */
async function plan(
  { sql, companyId, breathe }: Reader,
  type: SeriesType,
  { from, to }: Range,
  before: string,
): Promise<Upcoming[]> {
  const { table, amount } = kinds[type];
  const ofDue = `${table} s FORCE INDEX (${table}_due)`;
  const isDue = 's.companyId = ? AND s.dueAt < ? AND s.softDelete = 0 AND s.paused = 0';
  const series = await sql.rows<SeriesRow>(
    `SELECT s.id, s.recurring, s.every, s.nextDueDate, s.endsOn, s.anchorDate, s.recurringSince, ${amount} AS amount, s.currency
       FROM ${ofDue}
      WHERE ${isDue} LIMIT ${MAX_ROWS + 1}`,
    [companyId, before],
  );
  // Those of a series whose `nextDueDate` was set back.
  const made = await sql.rows<{ seriesId: number; date: DateOnly }>(
    `SELECT o.seriesId, o.occurrenceDate AS date FROM ${ofDue}
      STRAIGHT_JOIN ${table} o FORCE INDEX (${table}_occurrence) ON o.companyId = s.companyId AND o.seriesId = s.id
        AND o.occurrenceDate >= s.nextDueDate AND o.occurrenceDate BETWEEN ? AND ?
      WHERE ${isDue} LIMIT ${MAX_ROWS + 1}`,
    [from, to, companyId, before],
  );
  if (Math.max(series.length, made.length) > MAX_ROWS) {
    throw tooLarge(`more than ${MAX_ROWS.toLocaleString('en')} series have dates until ${to}: ask for fewer days`);
  }
  const exists = new Set(made.map(({ seriesId, date }) => `${seriesId} ${date}`));
  const planned: Upcoming[] = [];
  for (const [at, { id, amount, currency, ...one }] of series.entries()) {
    if (at % AT_A_TIME === AT_A_TIME - 1) await breathe();
    for (const date of datesBetween(one, from, to)) {
      if (!exists.has(`${id} ${date}`)) planned.push({ date, series: { type, id }, amount, currency });
    }
    checkRows(planned.length);
  }
  return planned;
}

/** Sums expenses and invoices apart: the one is spent, the other earned. */
function monthsOf(data: readonly Upcoming[]): object[] {
  const months = new Map<
    string,
    { currency: string; period: string; type: SeriesType; sum: Hundredths; count: number }
  >();
  for (const { date, series, amount, currency } of data) {
    const period = date.slice(0, 7);
    const key = `${currency} ${period} ${series.type}`;
    const month = months.get(key) ?? { currency, period, type: series.type, sum: 0n, count: 0 };
    months.set(key, { ...month, sum: month.sum + parseDecimal(amount), count: month.count + 1 });
  }
  return [...months].sort(([a], [b]) => compare(a, b)).map(([, month]) => ({ ...month, sum: toText(month.sum) }));
}

/** Two places. A sum may be larger than any amount. */
const toText = (sum: Hundredths): string => `${sum / 100n}.${String(sum % 100n).padStart(2, '0')}`;

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
