import { countsSql } from '../balance';
import { dayIn } from '../dates/dates';
import type { SqlText, SqlValue } from '../engine/db';
import { currency, decimalText } from '../engine/schemas';
import { companyTimezone } from '../invoices';
import { clientColumns, countColumn } from './columns';
import { isIssuedSql } from './issued';
import { type Instants, instantsOf, type Period, periodColumn, periodOf, periods } from './periods';
import { pastDays, type Range, rangeOf, type RangeQuery, yearUntil } from './range';
import { describeRows, readRows, type Report } from './Report';

interface RevenueQuery extends RangeQuery {
  by: Period | 'client';
}

const byPeriod = { period: periodColumn };

/** What was invoiced, credited and paid. */
export const revenue: Report<RevenueQuery> = {
  name: 'revenue',
  summary: 'Report what was invoiced, credited and paid, by period or client',
  query: {
    ...pastDays,
    by: { type: 'string', enum: [...periods, 'client'], default: 'month', description: 'How the sums are grouped.' },
  },
  rows: describeRows(
    'RevenueRow',
    { day: byPeriod, month: byPeriod, quarter: byPeriod, year: byPeriod, client: clientColumns },
    {
      issued: decimalText,
      credited: decimalText,
      paid: decimalText,
      count: countColumn('Invoices that were issued.'),
    },
    ({ by }) => by,
    currency,
  ),
  async read(reader, { by, ...days }) {
    const { sql, companyId, now } = reader;
    const timezone = await companyTimezone(sql, companyId);
    const range = rangeOf(days, yearUntil(dayIn(timezone, now)), by === 'year');
    const { text, values } = partsOf(companyId, range, instantsOf(range, timezone), by);
    if (by !== 'client') {
      const statement = `SELECT r.currency, r.part AS period, ${sums} FROM (${text}) r GROUP BY r.currency, r.part ORDER BY r.currency, r.part`;
      return readRows(reader, statement, values);
    }
    return readRows(
      reader,
      `SELECT r.currency, r.part AS clientId, c.name AS client, ${sums} FROM (${text}) r
        JOIN clients c ON c.companyId = ? AND c.id = r.part
        GROUP BY r.currency, r.part, c.name ORDER BY r.currency, c.name, r.part`,
      [...values, companyId],
    );
  },
};

const sums = `SUM(r.issued) AS issued, SUM(r.credited) AS credited, SUM(r.paid) AS paid,
  CAST(SUM(r.count) AS SIGNED) AS count`;

/**
 * SQL: the sums of invoices, of credit notes and of payments, each by their own day. Payments have instants, and belong to the day that it
 * then was in the time zone.
 */
function partsOf(companyId: number, { from, to }: Range, instants: Instants, by: RevenueQuery['by']): SqlText {
  const part = (day: string): string => (by === 'client' ? 'i.clientId' : periodOf(by, day));
  const paidOn = instants.dayOf('b.paidAt');
  const values: SqlValue[] = [
    ...[companyId, from, to],
    ...[companyId, from, to],
    ...[...paidOn.values, companyId, instants.from, instants.until, companyId, from, to],
  ];
  const text = `
    SELECT i.currency, ${part('i.issueDate')} AS part, SUM(i.total) AS issued, 0 AS credited, 0 AS paid, COUNT(*) AS count
      FROM invoices i FORCE INDEX (invoices_by_issue_date)
      WHERE i.companyId = ? AND i.softDelete = 0 AND i.issueDate BETWEEN ? AND ? AND ${isIssuedSql}
      GROUP BY currency, part
    UNION ALL
    SELECT n.currency, ${part('n.issueDate')} AS part, 0, SUM(n.total), 0, 0
      FROM credit_notes n FORCE INDEX (credit_notes_by_day) STRAIGHT_JOIN invoices i ON i.companyId = n.companyId AND i.id = n.invoiceId
      WHERE n.companyId = ? AND n.issueDate BETWEEN ? AND ? AND ${isIssuedSql}
      GROUP BY currency, part
    UNION ALL
    SELECT b.currency, ${part('b.day')} AS part, 0, 0, SUM(b.settles), 0
      FROM (SELECT b.invoiceId, b.currency, b.voidedAt, b.settles, ${paidOn.text} AS day
        FROM payments b FORCE INDEX (payments_by_time)
        WHERE b.companyId = ? AND b.paidAt >= ? AND b.paidAt < ?) b
      STRAIGHT_JOIN invoices i ON i.companyId = ? AND i.id = b.invoiceId
      WHERE b.day BETWEEN ? AND ? AND i.softDelete = 0 AND ${countsSql}
      GROUP BY currency, part`;
  return { text, values };
}
