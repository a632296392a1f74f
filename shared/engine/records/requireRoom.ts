import type { SqlText, UnitOfWork } from '../db';
import { LimitReached, NotFound } from '../errors';

/**
 * Ended records (deleted, revoked, expired) stay for {@link ENDED_KEPT_DAYS}. Including them, a company may have this many times the limit.
 */
const WITH_ENDED = 10;
/** Days after which ended, unreferenced records are removed. */
export const ENDED_KEPT_DAYS = 30;

/** A kind of records with a bound for each company. */
interface Bounded {
  readonly limit: string;
  readonly table: string;
  /** For the message: `API keys`. */
  readonly many: string;
  /** The condition that a record has ended. */
  readonly ended: SqlText;
}

/**
 * Lets one more record of a kind be inserted in this transaction. At most `most` have not ended. Creating and ending records in a
 * loop is bounded too, because ended ones count until they are removed. The company's row stays locked until the commit, so
 * concurrent requests are counted one after the other. Reads the company's own records of this kind, at most ten times `most`.
 * @throws {LimitReached}; {@link NotFound} when there is no such company.
 */
export async function requireRoom(
  { sql, companyId }: UnitOfWork,
  { limit, table, many, ended }: Bounded,
  most: number,
): Promise<void> {
  if ((await sql.rows('SELECT id FROM companies WHERE id = ? FOR UPDATE', [companyId])).length === 0) {
    throw new NotFound('company');
  }
  if (most === Infinity) return;
  const all = most * WITH_ENDED;
  const [row] = await sql.rows<{ kept: number; ended: number | string | null }>(
    `SELECT COUNT(*) AS kept, SUM(isEnded) AS ended
       FROM (SELECT ${ended.text} AS isEnded FROM ${table} WHERE companyId = ? LIMIT ${all}) AS counted`,
    [...ended.values, companyId],
  );
  const kept = row?.kept ?? 0;
  if (kept - Number(row?.ended ?? 0) >= most) {
    throw new LimitReached(limit, `a company can have ${most} ${many}: remove one first`);
  }
  if (kept >= all) {
    throw new LimitReached(
      limit,
      `a company can have ${all} ${many} with those that have ended; they are removed ${ENDED_KEPT_DAYS} days later`,
    );
  }
}
