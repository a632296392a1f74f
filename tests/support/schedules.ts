import type { Clock } from '../../shared/engine/clock/clock';
import type { Sql } from '../../shared/engine/db/sql';
import type { Services } from '../../shared/services';
import { runSchedules } from '../../shared/schedules/runSchedules';
import type { Scan, ScanSubject } from '../../shared/recurrence/Scan';
import { eventually } from './eventually';
import { atEnd } from './installation';

/** What a run of the schedules told. */
export interface Told {
  created: { kind: 'expense' | 'invoice'; companyId: number; seriesId: number; date: string }[];
  overdue: { companyId: number; invoiceId: number }[];
  reminded: { companyId: number; invoiceId: number; skipped: string | null }[];
  failed: (ScanSubject & { error: unknown })[];
}

/** Runs all schedules of all companies, by the clock of the services unless `asOf` is given. */
export async function runAllSchedules(
  services: Services,
  options: Partial<Pick<Scan, 'asOf' | 'wait' | 'signal' | 'restingCompanies'>> = {},
  run: (scan: Scan) => Promise<void> = runSchedules,
  onCreated: () => void = () => undefined,
): Promise<Told> {
  const told: Told = { created: [], overdue: [], reminded: [], failed: [] };
  await run({
    services,
    asOf: null,
    wait: true,
    ...options,
    observer: {
      created: (kind, companyId, { seriesId, date }) => {
        told.created.push({ kind, companyId, seriesId, date });
        onCreated();
      },
      overdue: (companyId, invoiceId) => told.overdue.push({ companyId, invoiceId }),
      reminded: (companyId, invoiceId, skipped) => told.reminded.push({ companyId, invoiceId, skipped }),
      failed: (subject, error) => told.failed.push({ ...subject, error }),
    },
  });
  return told;
}

/** A clock that stands until it is set. */
export class SetClock implements Clock {
  private moment: Date;

  constructor(moment: string) {
    this.moment = new Date(moment);
  }

  now(): Date {
    return this.moment;
  }

  set(moment: string | Date): void {
    this.moment = new Date(moment);
  }
}

/** Nothing that earlier tests of the file have made is ever due again, nor will their companies be looked at. */
export async function nothingIsDue({ sql }: Services): Promise<void> {
  await sql.run('UPDATE expenses SET dueAt = NULL WHERE dueAt IS NOT NULL');
  await sql.run('UPDATE invoices SET dueAt = NULL WHERE dueAt IS NOT NULL');
  await sql.run("UPDATE companies SET overdueCheckAt = '9000-01-01', reminderCheckAt = NULL");
}

type Table = 'expenses' | 'invoices';

/** The dates of a series' occurrences, deleted ones too, in the order of the calendar. */
export async function datesOf({ sql }: Services, seriesId: number, table: Table = 'expenses'): Promise<string[]> {
  const own = table === 'expenses' ? 'expenseDate' : 'issueDate';
  const rows = await sql.rows<{ date: string }>(
    `SELECT ${own} AS date FROM ${table} WHERE seriesId = ? AND ${own} = occurrenceDate ORDER BY date, id`,
    [seriesId],
  );
  return rows.map(({ date }) => date);
}

export interface StoredSeries {
  nextDueDate: string | null;
  anchorDate: string | null;
  recurringSince: string | null;
  dueAt: string | null;
}

/** Where a series stands. */
export async function seriesOf({ sql }: Services, id: number, table: Table = 'expenses'): Promise<StoredSeries> {
  const [row] = await sql.rows<StoredSeries>(
    `SELECT nextDueDate, anchorDate, recurringSince, dueAt FROM ${table} WHERE id = ?`,
    [id],
  );
  if (row === undefined) throw new Error(`no ${table} ${id}`);
  return row;
}

/** Kept counts of a company that are not what COUNT(*) finds. */
export function wrongCounts({ sql }: Services, companyId: number): Promise<object[]> {
  const counted = (['invoice', 'expense', 'client'] as const).map(
    (
      kind,
    ) => `SELECT companyId, '${kind}' AS kind, ${kind === 'client' ? "''" : 'status'} AS status, softDelete, COUNT(*) AS total
                FROM ${kind}s GROUP BY 1, 3, 4`,
  );
  return sql.rows(
    `SELECT companyId, kind, status, softDelete, SUM(total) AS difference FROM (
        SELECT companyId, kind, status, softDelete, CAST(total AS SIGNED) AS total FROM record_counts
        UNION ALL SELECT companyId, kind, status, softDelete, -total FROM (${counted.join(' UNION ALL ')}) counted
      ) both_ WHERE companyId = ? GROUP BY companyId, kind, status, softDelete HAVING SUM(total) <> 0`,
    [companyId],
  );
}

/** A checksum of every table. */
export async function checksums({ sql }: Services): Promise<object[]> {
  const tables = await sql.rows<{ name: string }>(
    'SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME',
  );
  return sql.rows(`CHECKSUM TABLE ${tables.map(({ name }) => name).join(', ')}`);
}

/** Many series of expenses at once, copies of one that was made: all stand where it stands. */
export async function multiplySeries({ sql }: Services, id: number, total: number): Promise<number[]> {
  const columns = `companyId, categoryId, vendor, description, amount, currency, expenseDate, status, recurring,
    nextDueDate, anchorDate, recurringSince, dueAt, softDelete, createdAt, updatedAt`;
  const [of] = await sql.rows<{ companyId: number; vendor: string }>(
    'SELECT companyId, vendor FROM expenses WHERE id = ?',
    [id],
  );
  if (of === undefined) throw new Error(`no expense ${id}`);
  const series = 'companyId = ? AND vendor = ? AND seriesId IS NULL';
  for (let made = 1; made < total; made *= 2) {
    await sql.run(
      `INSERT INTO expenses (${columns}) SELECT ${columns} FROM expenses WHERE ${series} LIMIT ${Math.min(made, total - made)}`,
      [of.companyId, of.vendor],
    );
  }
  await sql.run(
    `INSERT INTO record_counts (companyId, kind, softDelete, status, slot, total)
      SELECT companyId, 'expense', softDelete, status, 0, ? FROM expenses WHERE id = ?
      ON DUPLICATE KEY UPDATE total = total + VALUES(total)`,
    [total - 1, id],
  );
  const rows = await sql.rows<{ id: number }>(`SELECT id FROM expenses WHERE ${series} ORDER BY id`, [
    of.companyId,
    of.vendor,
  ]);
  return rows.map((row) => row.id);
}

/** Resolves when a statement waits for a row that another transaction has locked. */
export async function lockWait({ sql }: Services): Promise<void> {
  await eventually(async () => {
    // The status is that of the whole server, which other test files use as well.
    const [status] = await sql.rows<{ Value: string }>("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'");
    const running = await sql.rows(
      'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info IS NOT NULL',
    );
    return Number(status?.Value) > 0 && running.length > 0;
  });
}

/** Holds what `lock` locks until it is let go. */
export async function hold(
  services: Services,
  lock: (sql: Sql) => Promise<unknown>,
): Promise<{ letGo: () => Promise<void> }> {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let transaction: Promise<void> = Promise.resolve();
  await new Promise<void>((locked, failed) => {
    transaction = services.performForInstallation('test', async (work) => {
      await lock(work.sql);
      locked();
      await ended;
    });
    transaction.catch(failed);
  });
  const letGo = (): Promise<void> => {
    end();
    return transaction;
  };
  atEnd(letGo);
  return { letGo };
}
