import { toSqlTime } from '../engine/db';
import { ENDED_KEPT_DAYS } from '../engine/records';
import type { Services } from '../services';

const BATCH = 1_000;

/** Removes API keys that were revoked or expired over 30 days ago, until the deadline. Returns how many. */
export async function removeEndedApiKeys({ sql, clock }: Services, deadline: number): Promise<number> {
  const before = toSqlTime(new Date(clock.now().getTime() - ENDED_KEPT_DAYS * 86_400_000));
  let removed = 0;
  for (const column of ['revokedAt', 'expiresAt']) {
    for (let last = BATCH; last === BATCH && performance.now() < deadline;) {
      last = (await sql.run(`DELETE FROM api_keys WHERE ${column} < ? LIMIT ${BATCH}`, [before])).affectedRows;
      removed += last;
    }
  }
  return removed;
}
