import { verifyCounts } from '../engine/records';
import type { Services } from '../services';

const differing = `SELECT DISTINCT companyId FROM
    (SELECT companyId FROM
        (SELECT companyId, softDelete, COUNT(*) AS records, 0 AS counted FROM clients GROUP BY companyId, softDelete
          UNION ALL SELECT companyId, softDelete, 0, total FROM record_counts WHERE kind = 'client') states
      GROUP BY companyId, softDelete HAVING SUM(records) <> SUM(counted)) wrong`;

/**
 * Corrects the kept totals of clients where they differ: a process of the version before, which runs beside this one in an upgrade, does
 * not keep them. Returns how many totals were wrong.
 */
export async function repairClientCounts({ sql, perform }: Pick<Services, 'sql' | 'perform'>): Promise<number> {
  let repaired = 0;
  for (const { companyId } of await sql.rows<{ companyId: number }>(differing)) {
    const scope = { companyId, actor: 'clean-up' };
    repaired += (await perform(scope, (uow) => verifyCounts(uow, { repair: true }))).length;
  }
  return repaired;
}
