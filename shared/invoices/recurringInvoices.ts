import { placeholders, toSqlTime, type UnitOfWork } from '../engine/db';
import { addDays, daysBetween, LAST_DAY } from '../dates/dates';
import { copyDetails } from '../details';
import { copiedDetails, detailsTable } from './details';
import { giveNextNumber, type ItemPlace, type UnnumberedInvoice } from './assignInvoiceNumber';
import { insertInvoice, recordCreated } from './insertInvoice';
import { invoice, type InvoiceRecord } from './record';
import { taxRateSql } from './taxRate';
import { lastOf } from './writeItems';
import { noSeries, type Occurrence, type SeriesKind } from '../recurrence';
import { neverSentNorPaid } from './rules';

/** Recurring invoices: each occurrence is a draft with the next number and the same term of payment. */
export const recurringInvoices: SeriesKind = {
  name: 'invoice',
  table: 'invoices',
  // Each draft locks the company's number sequence until the commit, so other creates of the company wait.
  batch: { series: 25, occurrences: 25 },
  create: createDrafts,
};

/** Fields that are not copied from the series. Every other field that a request can set is. */
const own = ['invoiceNumber', 'status', 'recurring', 'nextDueDate'];
const copied = [...invoice.changeable.filter((name) => !own.includes(name)), 'subtotal', 'tax', 'total']
  .map((name) => (name === 'taxRate' ? `${taxRateSql} AS taxRate` : `i.${name}`))
  .join(', ');

type Template = Omit<InvoiceRecord, 'items'>;

/** Creates drafts also for a client that was deleted: a series continues until it is stopped. */
async function createDrafts(uow: UnitOfWork, occurrences: readonly Occurrence[]): Promise<number[]> {
  const ids = [...new Set(occurrences.map(({ seriesId }) => seriesId))];
  const templates = await readTemplates(uow, ids);
  const drafts: (Occurrence & UnnumberedInvoice & { template: Template })[] = [];
  for (const { seriesId, date } of occurrences) {
    const template = templates.get(seriesId);
    if (template === undefined) throw new Error(`invoice ${seriesId} does not exist`);
    const { id: _id, issueDate, dueDate, ...same } = template;
    const id = await insertInvoice(uow, {
      ...same,
      status: 'draft',
      issueDate: date,
      dueDate: addDays(date, daysBetween(issueDate, dueDate)) ?? LAST_DAY,
      ...noSeries,
      frozenParties: null,
      ...neverSentNorPaid,
      seriesId,
      occurrenceDate: date,
    });
    const lastItem = await copyItems(uow, seriesId, id);
    drafts.push({ id, status: 'draft', issueDate: date, lastItem, seriesId, date, template });
  }
  const made = drafts.map(({ id }) => id);
  await copyDetails(uow, detailsTable, 'invoices', made, copiedDetails);
  // Last, because the number sequence is locked from here to the commit.
  const format = await readNumberFormat(uow);
  const numbered: Parameters<typeof recordCreated>[1][number][] = [];
  for (const draft of drafts) {
    const { id, seriesId, date, template } = draft;
    const { invoiceNumber } = await giveNextNumber(uow, draft, format);
    const isOf = { externalId: null, seriesId, occurrenceDate: date };
    numbered.push({ ...template, id, invoiceNumber, status: 'draft', ...isOf });
  }
  recordCreated(uow, numbered);
  return made;
}

async function readTemplates({ sql, companyId }: UnitOfWork, ids: readonly number[]): Promise<Map<number, Template>> {
  const rows = await sql.rows<Template>(
    `SELECT i.id, ${copied} FROM invoices i
      WHERE i.companyId = ? AND i.id IN (${placeholders(ids.length)})`,
    [companyId, ...ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Items of one statement. MariaDB lets no other transaction insert items while the statement runs: 3 ms. */
const COPIED_TOGETHER = 100;

/** Copies items within the server: to read and write a thousand takes this process 28 ms. Returns the expected place of the last one. */
async function copyItems({ sql, companyId, now }: UnitOfWork, from: number, to: number): Promise<ItemPlace> {
  const at = toSqlTime(now);
  let [count, firstId, copied] = [0, 0, COPIED_TOGETHER];
  while (copied === COPIED_TOGETHER) {
    const { affectedRows, insertId } = await sql.run(
      `INSERT INTO invoice_items
          (companyId, invoiceId, position, description, quantity, unitPrice, amount, createdAt, updatedAt)
        SELECT companyId, ?, position, description, quantity, unitPrice, amount, ?, ? FROM invoice_items
        WHERE companyId = ? AND invoiceId = ? AND position >= ? ORDER BY position LIMIT ${COPIED_TOGETHER}`,
      [to, at, at, companyId, from, count],
    );
    if (count === 0) firstId = insertId;
    copied = affectedRows;
    count += copied;
  }
  return lastOf(count, firstId);
}

async function readNumberFormat({ sql, companyId }: UnitOfWork): Promise<string> {
  const [company] = await sql.rows<{ invoiceNumberFormat: string }>(
    'SELECT invoiceNumberFormat FROM companies WHERE id = ?',
    [companyId],
  );
  return company?.invoiceNumberFormat ?? '';
}
