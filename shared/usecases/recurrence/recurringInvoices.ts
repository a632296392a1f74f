import { placeholders } from '../../database/sql';
import type { UnitOfWork } from '../../database/unitOfWork';
import { addDays, daysBetween, LAST_DAY } from '../../domain/dates';
import { giveNextNumber } from '../invoices/assignInvoiceNumber';
import { insertInvoice } from '../invoices/insertInvoice';
import { writeItems } from '../invoices/writeItems';
import type { Occurrence, SeriesKind } from './SeriesKind';
import { noSeries } from './SeriesState';

/** Recurring invoices: each occurrence is a draft with the next number, and the same days to pay. */
export const recurringInvoices: SeriesKind = {
  name: 'invoice',
  table: 'invoices',
  // Each takes a number of the company's sequence, for which other creates wait until the commit.
  atOnce: { series: 25, occurrences: 25, companies: 1 },
  create: createDrafts,
};

interface Template {
  id: number;
  clientId: number;
  issueDate: string;
  dueDate: string;
  subtotal: string;
  tax: string;
  taxRate: string;
  total: string;
  notes: string;
  currency: string;
}

interface TemplateItem {
  invoiceId: number;
  description: string;
  quantity: string;
  unitPrice: string;
  amount: string;
}

/** The client may have been deleted since: what recurs goes on until its series is stopped. */
async function createDrafts(uow: UnitOfWork, occurrences: readonly Occurrence[]): Promise<void> {
  const ids = [...new Set(occurrences.map(({ seriesId }) => seriesId))];
  const templates = await readTemplates(uow, ids);
  const items = await readItems(uow, ids);
  const drafts: { id: number; date: string }[] = [];
  for (const { seriesId, date } of occurrences) {
    const template = templates.get(seriesId);
    if (template === undefined) throw new Error(`invoice ${seriesId} is gone`);
    const { id: _id, issueDate, dueDate, ...copied } = template;
    const id = await insertInvoice(uow, {
      ...copied,
      status: 'draft',
      issueDate: date,
      dueDate: addDays(date, daysBetween(issueDate, dueDate)) ?? LAST_DAY,
      ...noSeries,
      frozenParties: null,
      sentAt: null,
      paidAt: null,
      seriesId,
      occurrenceDate: date,
    });
    const own = items.filter(({ invoiceId }) => invoiceId === seriesId);
    await writeItems(
      uow,
      id,
      own,
      own.map(({ amount }) => amount),
    );
    drafts.push({ id, date });
  }
  // Last of all: the sequence is locked from here on.
  const format = await readNumberFormat(uow);
  for (const { id, date } of drafts) await giveNextNumber(uow, id, format, date);
}

async function readTemplates({ sql, companyId }: UnitOfWork, ids: readonly number[]): Promise<Map<number, Template>> {
  const rows = await sql.rows<Template>(
    `SELECT id, clientId, issueDate, dueDate, subtotal, tax, taxRate, total, notes, currency FROM invoices
      WHERE companyId = ? AND id IN (${placeholders(ids.length)})`,
    [companyId, ...ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function readItems({ sql, companyId }: UnitOfWork, ids: readonly number[]): Promise<TemplateItem[]> {
  return sql.rows<TemplateItem>(
    `SELECT invoiceId, description, quantity, unitPrice, amount FROM invoice_items
      WHERE companyId = ? AND invoiceId IN (${placeholders(ids.length)}) ORDER BY invoiceId, position`,
    [companyId, ...ids],
  );
}

async function readNumberFormat({ sql, companyId }: UnitOfWork): Promise<string> {
  const [company] = await sql.rows<{ invoiceNumberFormat: string }>(
    'SELECT invoiceNumberFormat FROM companies WHERE id = ?',
    [companyId],
  );
  return company?.invoiceNumberFormat ?? '';
}
