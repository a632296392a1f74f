import { insertRows, placeholders, type UnitOfWork } from '../engine/db';
import { addToCounts } from '../engine/records';
import { recordEvent } from '../engine/events';
import { copyDetails } from '../details';
import { detailsTable } from './details';
import { expenseEvents, type ExpenseFacts } from './events';
import { expense } from './record';
import { noSeries, type Occurrence, readOccurrences, type SeriesKind } from '../recurrence';

/** Recurring expenses: each occurrence is a pending expense without a receipt. */
export const recurringExpenses: SeriesKind = {
  name: 'expense',
  table: 'expenses',
  batch: { series: 200, occurrences: 400 },
  create: createPending,
};

/** The fields that an occurrence sets itself. Every other field of requests is copied from the series. */
const own = ['expenseDate', 'receiptUrl', 'status', 'recurring', 'nextDueDate'];
const copied = expense.changeable.filter((name) => !own.includes(name));

type Template = { id: number } & Omit<ExpenseFacts, 'status'> & Record<string, string | number | null>;

/** The category may be deleted by now: a series continues until it is stopped. */
async function createPending(uow: UnitOfWork, occurrences: readonly Occurrence[]): Promise<number[]> {
  const { companyId, now, sql } = uow;
  const ids = [...new Set(occurrences.map(({ seriesId }) => seriesId))];
  const templates = await readTemplates(uow, ids);
  const rows = occurrences.map(({ seriesId, date }) => {
    const { id: _id, ...same } = templateOf(templates, seriesId);
    return {
      companyId,
      ...same,
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
  await addToCounts(uow, 'expense', [{ status: 'pending', softDelete: false, by: rows.length }]);
  return recordCreated(uow, templates, occurrences);
}

async function readTemplates({ sql, companyId }: UnitOfWork, ids: readonly number[]): Promise<Map<number, Template>> {
  const rows = await sql.rows<Template>(
    `SELECT id, ${copied.join(', ')} FROM expenses
      WHERE companyId = ? AND id IN (${placeholders(ids.length)})`,
    [companyId, ...ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function templateOf(templates: ReadonlyMap<number, Template>, seriesId: number): Template {
  const template = templates.get(seriesId);
  if (template === undefined) throw new Error(`expense ${seriesId} is gone`);
  return template;
}

/** Ids of rows that were inserted together are read back: that they follow one another is no promise of every server. */
async function recordCreated(
  uow: UnitOfWork,
  templates: ReadonlyMap<number, Template>,
  made: readonly Occurrence[],
): Promise<number[]> {
  const created = await readOccurrences(uow.sql, uow.companyId, 'expenses', made);
  const ids = created.map(({ id }) => id);
  await copyDetails(uow, detailsTable, 'expenses', ids, ['metadata']);
  for (const { id, seriesId, date } of created) {
    const { vendor, amount, currency } = templateOf(templates, seriesId);
    const data = { vendor, status: 'pending', amount, currency, seriesId, occurrenceDate: date } as const;
    recordEvent(uow, expenseEvents.created, id, data);
  }
  return ids;
}
