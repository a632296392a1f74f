import { dayIn } from '../dates/dates';
import { currency, decimalText, rateText } from '../engine/schemas';
import { companyTimezone, taxRateSql } from '../invoices';
import { countColumn } from './columns';
import { isIssuedSql } from './issued';
import { pastDays, rangeOf, type RangeQuery, yearUntil } from './range';
import { describeRows, readRows, type Report } from './Report';

const taxRate = { ...rateText, description: 'In percent, with two decimals, and more only where it has them.' };

/** SQL: a rate as it is shown. The first two decimals stay, whatever they are. */
const shownRate = "CONCAT(LEFT(r.rate, LENGTH(r.rate) - 2), TRIM(TRAILING '0' FROM RIGHT(r.rate, 2)))";

/** What was invoiced before tax, and the tax on it, by rate. Credit notes count negative, on their own days. */
export const tax: Report<RangeQuery> = {
  name: 'tax',
  summary: 'Report net amounts and tax by tax rate, credit notes negative',
  query: pastDays,
  rows: describeRows(
    'TaxRow',
    { rate: { taxRate } },
    { net: decimalText, tax: decimalText, count: countColumn('Invoices and credit notes.') },
    () => 'rate',
    currency,
  ),
  async read(reader, query) {
    const { sql, companyId, now } = reader;
    const { from, to } = rangeOf(query, yearUntil(dayIn(await companyTimezone(sql, companyId), now)));
    return readRows(
      reader,
      `SELECT r.currency, ${shownRate} AS taxRate, SUM(r.net) AS net, SUM(r.tax) AS tax, CAST(SUM(r.count) AS SIGNED) AS count
        FROM (
          SELECT i.currency, CAST(${taxRateSql} AS DECIMAL(7, 4)) AS rate, SUM(i.subtotal) AS net, SUM(i.tax) AS tax, COUNT(*) AS count
            FROM invoices i FORCE INDEX (invoices_by_issue_date)
            WHERE i.companyId = ? AND i.softDelete = 0 AND i.issueDate BETWEEN ? AND ? AND ${isIssuedSql}
            GROUP BY currency, rate
          UNION ALL
          SELECT n.currency, CAST(${taxRateSql} AS DECIMAL(7, 4)) AS rate, -SUM(n.subtotal), -SUM(n.tax), COUNT(*)
            FROM credit_notes n FORCE INDEX (credit_notes_by_day)
            STRAIGHT_JOIN invoices i ON i.companyId = n.companyId AND i.id = n.invoiceId
            WHERE n.companyId = ? AND n.issueDate BETWEEN ? AND ? AND ${isIssuedSql}
            GROUP BY currency, rate
        ) r GROUP BY r.currency, r.rate ORDER BY r.currency, r.rate`,
      [companyId, from, to, companyId, from, to],
    );
  },
};
