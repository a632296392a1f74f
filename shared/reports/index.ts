/** Reports: sums over invoices, credit notes, payments and expenses. */
import { expenses } from './expenses';
import { receivables } from './receivables';
import type { Report } from './Report';
import { revenue } from './revenue';
import { tax } from './tax';
import { upcoming } from './upcoming';

export { type Report, reportSql } from './Report';

/** Every report, under the name of its type. The queries are checked by the schemas of the reports. */
export const reports = {
  Receivables: receivables,
  Revenue: revenue,
  Tax: tax,
  Expenses: expenses,
  Upcoming: upcoming,
} as const satisfies Record<string, Report<never>>;
