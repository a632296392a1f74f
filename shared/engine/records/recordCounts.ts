import type { SqlText, UnitOfWork } from '../db';

export type CountedKind = 'invoice' | 'expense' | 'client';

export interface Counted {
  /** Absent for a kind without one. */
  status?: string;
  softDelete: boolean;
}

/**
 * Each count is spread over this many rows, so that concurrent creates of a company rarely wait for one another: a
 * connection, which has one transaction at a time, keeps to its own.
 */
const SLOTS = 16;

/**
 * Moves one record between the counts of two states, which keeps the totals of lists exact without counting the table on each request.
 * `from` is null for a new record. Every write of `status` or `softDelete` calls it in its own transaction.
 */
export async function countRecord(
  uow: UnitOfWork,
  kind: CountedKind,
  from: Counted | null,
  to: Counted,
): Promise<void> {
  if (from !== null && from.status === to.status && from.softDelete === to.softDelete) return;
  const left = from === null ? [] : [{ ...from, by: -1 }];
  await addToCounts(uow, kind, [...left, { ...to, by: 1 }]);
}

/**
 * Adds `by` to the count of each state (negative when records leave it), in one statement. With `provided` (the text after FROM), changes
 * them only if that finds a row, else returns false.
 */
export async function addToCounts(
  uow: UnitOfWork,
  kind: CountedKind,
  changes: readonly (Counted & { by: number })[],
  provided: SqlText | null = null,
): Promise<boolean> {
  const row = `?, ?, ?, ?, CONNECTION_ID() % ${SLOTS}, ?`;
  const { affectedRows } = await uow.sql.run(
    `INSERT INTO record_counts (companyId, kind, softDelete, status, slot, total)
     ${provided === null ? `VALUES ${changes.map(() => `(${row})`).join(', ')}` : changes.map(() => `SELECT ${row} FROM ${provided.text}`).join(' UNION ALL ')}
     ON DUPLICATE KEY UPDATE total = record_counts.total + VALUES(total)`,
    changes.flatMap(({ status, softDelete, by }) => [
      ...[uow.companyId, kind, Number(softDelete), status ?? '', by],
      ...(provided?.values ?? []),
    ]),
  );
  return affectedRows > 0;
}

/** Returns the condition on the row of `record_counts` that counts records of a state on this connection. */
export function countOf(a: string, companyId: number, kind: CountedKind, { status, softDelete }: Counted): SqlText {
  return {
    text: `${a}.companyId = ? AND ${a}.kind = ? AND ${a}.softDelete = ? AND ${a}.status = ? AND ${a}.slot = CONNECTION_ID() % ${SLOTS}`,
    values: [companyId, kind, Number(softDelete), status ?? ''],
  };
}

/** Returns the statement that reads the number of a company's records, of one status or of all (null), without or with deleted ones. */
export function keptCount(
  companyId: number,
  kind: CountedKind,
  { status, includeDeleted }: { status: string | null; includeDeleted: boolean },
): SqlText {
  const text = `SELECT SUM(total) FROM record_counts WHERE companyId = ? AND kind = ? AND softDelete ${includeDeleted ? 'IN (0, 1)' : '= 0'}`;
  if (status === null) return { text, values: [companyId, kind] };
  return { text: `${text} AND status = ?`, values: [companyId, kind, status] };
}
