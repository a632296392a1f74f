import { insertRows } from '../../database/insert';
import { placeholders } from '../../database/sql';
import type { UnitOfWork } from '../../database/unitOfWork';
import { addToCount } from '../recordCounts';
import { recordEvents } from '../recordEvent';
import type { Occurrence, SeriesKind } from './SeriesKind';
import { noSeries } from './SeriesState';

/** Recurring expenses: each occurrence is a pending expense without a receipt. */
export const recurringExpenses: SeriesKind = {
  name: 'expense',
  table: 'expenses',
  atOnce: { series: 200, occurrences: 400, companies: 'any' },
  create: createPending,
};

interface Template {
  id: number;
  categoryId: number;
  vendorId: number | null;
  vendor: string;
  description: string;
  amount: string;
  currency: string;
}

/** The category may have been deleted since: what recurs goes on until its series is stopped. */
async function createPending(uow: UnitOfWork, occurrences: readonly Occurrence[]): Promise<void> {
  const { companyId, now, sql } = uow;
  const ids = [...new Set(occurrences.map(({ seriesId }) => seriesId))];
  const templates = await readTemplates(uow, ids);
  const rows = occurrences.map(({ seriesId, date }) => {
    const template = templates.get(seriesId);
    if (template === undefined) throw new Error(`expense ${seriesId} is gone`);
    const { id: _id, ...copied } = template;
    return {
      companyId,
      ...copied,
      expenseDate: date,
      receiptUrl: null,
      status: 'pending',
      ...noSeries,
      seriesId,
      occurrenceDate: date,
      softDelete: false,
      createdAt: now,
      updatedAt: now,
    };
  });
  await insertRows(sql, 'expenses', rows);
  await addToCount(uow, 'expense', { status: 'pending', softDelete: false }, rows.length);
  await recordCreated(uow, templates, occurrences);
}

async function readTemplates({ sql, companyId }: UnitOfWork, ids: readonly number[]): Promise<Map<number, Template>> {
  const rows = await sql.rows<Template>(
    `SELECT id, categoryId, vendorId, vendor, description, amount, currency FROM expenses
      WHERE companyId = ? AND id IN (${placeholders(ids.length)})`,
    [companyId, ...ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Ids of rows that were inserted together are read back: that they follow one another is no promise of every server. */
async function recordCreated(
  uow: UnitOfWork,
  templates: ReadonlyMap<number, Template>,
  made: readonly Occurrence[],
): Promise<void> {
  const [first, last] = [made[0]?.date ?? '', made.at(-1)?.date ?? ''];
  const rows = await uow.sql.rows<{ id: number; seriesId: number; occurrenceDate: string }>(
    `SELECT id, seriesId, occurrenceDate FROM expenses FORCE INDEX (expenses_occurrence)
      WHERE companyId = ? AND seriesId IN (${placeholders(templates.size)}) AND occurrenceDate BETWEEN ? AND ?`,
    [uow.companyId, ...templates.keys(), first, last],
  );
  const dates = new Set(made.map(({ seriesId, date }) => `${seriesId} ${date}`));
  const created = rows.filter(({ seriesId, occurrenceDate }) => dates.has(`${seriesId} ${occurrenceDate}`));
  await recordEvents(
    uow,
    'expense.created',
    'expense',
    created.map(({ id, seriesId, occurrenceDate }) => {
      const amount = templates.get(seriesId)?.amount;
      return { id, data: { status: 'pending', amount, seriesId, occurrenceDate } };
    }),
  );
}
