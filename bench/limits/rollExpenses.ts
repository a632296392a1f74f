import { createPool } from 'mysql2';
import { addDays } from '../../shared/dates/dates';
import { serveTasks } from '../../dev/tasks/serveTasks';
import {
  bareTransaction,
  countExpense,
  insertExpense,
  insertExpenseEvent,
  rows,
  run,
  type Runner,
} from './bareDatabase';

export interface BareRollTask {
  databaseUrl: string;
  /** The company whose series are rolled, one after the other, in rounds. */
  companyId: number;
  seconds: number;
}

interface Series {
  categoryId: number;
  vendor: string;
  description: string;
  amount: string;
  nextDueDate: string;
}

const lockSeries = `SELECT categoryId, vendor, description, amount, nextDueDate FROM expenses
  WHERE companyId = ? AND id = ? FOR UPDATE`;
const advance = `UPDATE expenses SET nextDueDate = ?, dueAt = dueAt + INTERVAL 1 DAY, updatedAt = UTC_TIMESTAMP(3)
  WHERE companyId = ? AND id = ?`;

/**
 * Makes each occurrence in its own transaction: reads the series under a lock, inserts the copy with its event and count,
 * advances the series.
 */
serveTasks(async ({ databaseUrl, companyId, seconds }: BareRollTask) => {
  const pool = createPool({ uri: databaseUrl, connectionLimit: 1, dateStrings: true });
  const company = String(companyId);
  const of = "SELECT id FROM expenses WHERE companyId = ? AND recurring = 'daily' ORDER BY id";
  const ids = (await rows<{ id: number }>(pool, of, [company])).map(({ id }) => String(id));
  const started = performance.now();
  let done = 0;
  while (performance.now() - started < seconds * 1000) {
    const id = ids[done % ids.length] ?? '';
    await bareTransaction(pool, (connection) => rollOne(connection, company, id));
    done += 1;
  }
  const perSecond = done / ((performance.now() - started) / 1000);
  pool.end(() => undefined);
  return { perSecond, p50Ms: null, p99Ms: null, done };
});

async function rollOne(on: Runner, company: string, id: string): Promise<void> {
  const [series] = await rows<Series>(on, lockSeries, [company, id]);
  if (series === undefined) throw new Error(`there is no series ${id}`);
  const { categoryId, vendor, description, amount, nextDueDate } = series;
  const copy = [company, String(categoryId), vendor, description, amount, nextDueDate, id, nextDueDate];
  const inserted = await run(on, insertExpense, copy);
  await run(on, insertExpenseEvent, [company, String(inserted)]);
  await run(on, countExpense, [company]);
  await run(on, advance, [addDays(nextDueDate, 1), company, id]);
}
