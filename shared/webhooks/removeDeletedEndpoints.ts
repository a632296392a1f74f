import { toSqlTime } from '../engine/db';
import { ENDED_KEPT_DAYS } from '../engine/records';
import type { Services } from '../services';

/** Endpoints that are read at a time. */
const BATCH = 100;
/** Deliveries of one statement. */
const DELIVERIES = 1_000;

interface Deleted {
  id: number;
  companyId: number;
}

/** Removes webhook endpoints that were deleted over 30 days ago, with their deliveries, until the deadline. Returns how many. */
export async function removeDeletedEndpoints({ sql, clock }: Services, deadline: number): Promise<number> {
  const before = toSqlTime(new Date(clock.now().getTime() - ENDED_KEPT_DAYS * 86_400_000));
  for (let removed = 0; ;) {
    const found = await sql.rows<Deleted>(
      `SELECT companyId, id FROM webhook_endpoints FORCE INDEX (webhook_endpoints_deleted)
        WHERE softDelete = 1 AND updatedAt < ? ORDER BY updatedAt LIMIT ${BATCH}`,
      [before],
    );
    for (const { companyId, id } of found) {
      for (let last = DELIVERIES; last === DELIVERIES;) {
        if (performance.now() >= deadline) return removed;
        const ofEndpoint = `DELETE FROM webhook_deliveries WHERE companyId = ? AND endpointId = ? LIMIT ${DELIVERIES}`;
        last = (await sql.run(ofEndpoint, [companyId, id])).affectedRows;
      }
      const where = 'companyId = ? AND id = ? AND softDelete = 1';
      removed += (await sql.run(`DELETE FROM webhook_endpoints WHERE ${where}`, [companyId, id])).affectedRows;
    }
    if (found.length < BATCH) return removed;
  }
}
