import { fromSqlTime, type Sql, toSqlTime } from '../../shared/engine/db';
import type { DisabledReason } from '../../shared/webhooks';
import { leaseEnd } from '../jobs/jobRow';
import type { EndpointRunId } from '../jobs/LeaseConnection';

/** An endpoint of a company. */
export interface EndpointKey {
  companyId: number;
  id: number;
}

/** An endpoint with the columns that its turns need. */
export interface EndpointRow extends EndpointRunId {
  url: string;
  /** Types and patterns. */
  types: readonly string[];
  /** Neither disabled nor deleted. */
  isEnabled: boolean;
  disabledReason: DisabledReason | null;
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: Date | null;
  position: number;
  leaseUntil: Date | null;
  failures: number;
  failingSince: Date | null;
}

type Stored = Omit<EndpointRow, 'types' | 'isEnabled' | 'previousSecretUntil' | 'leaseUntil' | 'failingSince'> & {
  types: string;
  enabled: number;
  softDelete: number;
  previousSecretUntil: string | null;
  leaseUntil: string | null;
  failingSince: string | null;
};

const toDate = (time: string | null): Date | null => (time === null ? null : fromSqlTime(time));

/** Reads an endpoint, or null. */
export async function readEndpoint(sql: Sql, { companyId, id }: EndpointKey): Promise<EndpointRow | null> {
  const [row] = await sql.rows<Stored>(
    `SELECT companyId, id, run, url, types, enabled, softDelete, disabledReason, secret, previousSecret, previousSecretUntil,
        position, leaseUntil, failures, failingSince
      FROM webhook_endpoints WHERE companyId = ? AND id = ?`,
    [companyId, id],
  );
  if (row === undefined) return null;
  const { enabled, softDelete, ...others } = row;
  return {
    ...others,
    types: JSON.parse(row.types) as string[],
    isEnabled: enabled === 1 && softDelete === 0,
    previousSecretUntil: toDate(row.previousSecretUntil),
    leaseUntil: toDate(row.leaseUntil),
    failingSince: toDate(row.failingSince),
  };
}

/**
 * Claims an unchanged endpoint for one turn. Returns the number of the turn, by which only this turn can record; null when the endpoint has
 * changed since it was read, or another process has claimed it.
 */
export async function claimEndpoint(
  sql: Sql,
  { companyId, id, run, position }: EndpointRow,
  now: Date,
): Promise<EndpointRunId | null> {
  const { affectedRows } = await sql.run(
    `UPDATE webhook_endpoints SET run = run + 1, leaseUntil = ?
      WHERE companyId = ? AND id = ? AND run = ? AND position = ? AND enabled = 1 AND softDelete = 0
        AND (leaseUntil IS NULL OR leaseUntil <= ?)`,
    [toSqlTime(leaseEnd(now)), companyId, id, run, position, toSqlTime(now)],
  );
  return affectedRows === 1 ? { companyId, id, run: run + 1 } : null;
}

/** Tests whether an endpoint is disabled or deleted. Until the end of the transaction it stays so. */
export async function isStopped(sql: Sql, { companyId, id }: EndpointKey): Promise<boolean> {
  const found = await sql.rows(
    `SELECT 1 FROM webhook_endpoints WHERE companyId = ? AND id = ? AND (enabled = 0 OR softDelete = 1) LOCK IN SHARE MODE`,
    [companyId, id],
  );
  return found.length > 0;
}

/** Tests whether an endpoint has something to send: a due delivery, or events after the position. */
export async function hasWork(sql: Sql, { companyId, id }: EndpointKey, now: Date): Promise<boolean> {
  const [row] = await sql.rows<{ isBehind: number | null; isDue: number }>(
    `SELECT (SELECT MAX(seq) FROM events WHERE companyId = ?) > position AS isBehind,
        EXISTS (SELECT 1 FROM webhook_deliveries FORCE INDEX (webhook_deliveries_pending)
          WHERE status = 'pending' AND companyId = ? AND endpointId = ? AND nextAttemptAt <= ?) AS isDue
      FROM webhook_endpoints WHERE companyId = ? AND id = ?`,
    [companyId, companyId, id, toSqlTime(now), companyId, id],
  );
  return row !== undefined && (row.isBehind === 1 || row.isDue === 1);
}
