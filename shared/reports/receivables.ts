import { coveredSql, coveredThenSql } from '../balance';
import { dayIn, endOfDay, readDate, type DateOnly } from '../dates/dates';
import { toSqlTime } from '../engine/db';
import { currency, day, decimalText } from '../engine/schemas';
import { companyTimezone, maybeDueSql } from '../invoices';
import { clientColumns, countColumn } from './columns';
import { isCreditedSql } from './issued';
import { describeRows, readRows, type Report } from './Report';

interface ReceivablesQuery {
  asOf?: DateOnly;
  groupBy?: 'client';
}

/** How many days after its due date something of an invoice is due: the first day of each column, and the last one. */
const ages: readonly [string, number, number][] = [
  ['current', -4_000_000, 0],
  ['1-30', 1, 30],
  ['31-60', 31, 60],
  ['61-90', 61, 90],
  ['over90', 91, 4_000_000],
];
const sums = [
  ...ages.map(([name, first, last]) => `SUM(IF(r.age BETWEEN ${first} AND ${last}, r.due, 0)) AS \`${name}\``),
  'SUM(r.due) AS total',
  'COUNT(*) AS count',
].join(', ');

/** What was due on a day. Reads the invoices that are open, and those that were closed since that day. */
export const receivables: Report<ReceivablesQuery> = {
  name: 'receivables',
  summary: 'Report what clients owed on a day, by how long it was overdue',
  query: {
    asOf: { ...day, description: "The end of this day; without it of the company's today." },
    groupBy: { type: 'string', enum: ['client'], description: 'A row for each client.' },
  },
  rows: describeRows(
    'ReceivablesRow',
    { all: {}, client: clientColumns },
    {
      ...Object.fromEntries([...ages.map(([name]) => name), 'total'].map((name) => [name, decimalText])),
      count: countColumn('Invoices of which something was due.'),
    },
    ({ groupBy }) => groupBy ?? 'all',
    currency,
  ),
  async read(reader, { asOf, groupBy }) {
    const { sql, companyId, now } = reader;
    const timezone = await companyTimezone(sql, companyId);
    const today = asOf === undefined ? dayIn(timezone, now) : (readDate(asOf) ?? asOf);
    const end = toSqlTime(endOfDay(today, timezone));
    const values = [
      ...[today, today, end, end],
      ...[companyId, companyId, end, companyId, today],
      ...[companyId, today, end, end, end],
    ];
    if (groupBy === undefined) {
      return readRows(
        reader,
        `SELECT r.currency, ${sums} FROM ${dues} r WHERE r.due > 0 GROUP BY r.currency ORDER BY r.currency`,
        values,
      );
    }
    return readRows(
      reader,
      `SELECT r.currency, r.clientId, c.name AS client, ${sums} FROM ${dues} r
        JOIN clients c ON c.companyId = ? AND c.id = r.clientId WHERE r.due > 0
        GROUP BY r.currency, r.clientId, c.name ORDER BY r.currency, c.name, r.clientId`,
      [...values, companyId],
    );
  },
};

/** LIMIT of a derived table, so that it is not merged: merged, `due` would be computed anew for each column of the report. */
const EVERY_ROW = '18446744073709551615';

/**
 * SQL: what was due of each invoice when the day ended. Three statements by an index each find the invoices of which that can be more than
 * nothing: those that are not paid, those that were paid later, and those that later credit notes took from.
 * - A deleted invoice was due until it was deleted, a cancelled one until it was cancelled. One that credit notes cancelled was due until
 *   their days, so its own status says nothing.
 * - A paid invoice without a payment, or that payments and credit notes do not cover, was declared paid by a request, and nothing of it is
 *   due from `paidAt` on.
 */
const dues = `(SELECT i.currency, i.clientId, DATEDIFF(?, i.dueDate) AS age,
    i.total - IF(i.credited = 0, 0, (SELECT COALESCE(SUM(n.total), 0) FROM credit_notes n
      WHERE n.companyId = i.companyId AND n.invoiceId = i.id AND n.issueDate <= ?)) - ${coveredThenSql} AS due
  FROM (
    SELECT o.id FROM invoices o FORCE INDEX (invoices_overdue)
      WHERE o.companyId = ? AND o.softDelete IN (0, 1) AND o.status IN (${maybeDueSql})
    UNION SELECT o.id FROM invoices o FORCE INDEX (invoices_by_paid) WHERE o.companyId = ? AND o.paidAt >= ?
    UNION SELECT n.invoiceId FROM credit_notes n FORCE INDEX (credit_notes_by_day) WHERE n.companyId = ? AND n.issueDate > ?
  ) f STRAIGHT_JOIN invoices i ON i.companyId = ? AND i.id = f.id
  WHERE i.issueDate <= ? AND i.status <> 'draft' AND (i.softDelete = 0 OR i.updatedAt >= ?)
    AND (i.status <> 'cancelled' OR COALESCE(i.cancelledAt, i.updatedAt) >= ? OR ${isCreditedSql})
    AND (i.status <> 'paid' OR i.paidAt >= ? OR ${coveredSql} >= GREATEST(i.total - i.credited, 0.01))
  LIMIT ${EVERY_ROW})`;
