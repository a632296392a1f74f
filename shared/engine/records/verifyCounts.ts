import type { UnitOfWork } from '../db';
import { addToCounts, type CountedKind } from './recordCounts';

/** A total of lists that differs from the records themselves. */
export interface WrongCount {
  companyId: number;
  kind: CountedKind;
  /** Empty for a kind without one. */
  status: string;
  deleted: boolean;
  /** Records in the table. */
  records: number;
  /** Records by the kept total. */
  counted: number;
}

type WrongCountRow = Pick<WrongCount, 'kind' | 'status'> &
  Record<'records' | 'counted', string> & { softDelete: 0 | 1 };

const counted = (kind: CountedKind, table: string, status = 'status'): string =>
  `SELECT '${kind}' AS kind, softDelete, ${status} AS status, COUNT(*) AS records, 0 AS counted
     FROM ${table} WHERE companyId = ? GROUP BY softDelete, status`;

/** One statement, so one snapshot: records and totals change in the same transactions, and are compared at the same instant. */
const differences = `SELECT kind, status, softDelete, SUM(records) AS records, SUM(counted) AS counted
  FROM (${counted('invoice', 'invoices')} UNION ALL ${counted('expense', 'expenses')} UNION ALL
        ${counted('client', 'clients', "''")} UNION ALL SELECT kind, softDelete, status, 0, SUM(total) FROM record_counts WHERE companyId = ? GROUP BY kind, softDelete, status) states
  GROUP BY kind, status, softDelete HAVING SUM(records) <> SUM(counted) ORDER BY kind, status, softDelete`;

/**
 * Returns the kept totals of a company that differ from its records, and with `repair` adds the differences. Safe while records are
 * written: additions of concurrent transactions are kept.
 */
export async function verifyCounts(uow: UnitOfWork, { repair }: { repair: boolean }): Promise<WrongCount[]> {
  const { companyId } = uow;
  const rows = await uow.sql.rows<WrongCountRow>(differences, [companyId, companyId, companyId, companyId]);
  const wrong = rows.map(({ softDelete, records, counted, ...state }) => ({
    companyId,
    ...state,
    deleted: softDelete === 1,
    records: Number(records),
    counted: Number(counted),
  }));
  if (repair) {
    for (const { kind, status, deleted, records, counted } of wrong)
      await addToCounts(uow, kind, [{ status, softDelete: deleted, by: records - counted }]);
  }
  return wrong;
}
