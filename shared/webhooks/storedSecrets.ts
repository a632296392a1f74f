import { SecretsUnavailable } from '../engine/errors';
import { fromSqlTime, type InstallationWork, type Sql } from '../engine/db';
import type { SecretBox } from '../engine/secrets';

/** The stored secrets of an endpoint. */
interface SecretsRow {
  id: number;
  companyId: number;
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: string | null;
}

/** An endpoint with a secret that no key decrypts. */
export interface UnreadableEndpoint {
  companyId: number;
  endpointId: number;
}

/** The findings of a batch of endpoints. */
export interface SecretsBatch {
  endpoints: number;
  /** Endpoints with a secret that another key than the first has encrypted. */
  outdated: number;
  unreadable: UnreadableEndpoint[];
  /** Where the next batch begins; null after the last one. */
  next: number | null;
}

/** Endpoints that are examined together. They are encrypted one by one: while one waits for a lock, no other may be locked. */
const BATCH = 200;

/** Tries to decrypt the secrets of a batch of all companies' endpoints with an id above `after`. */
export async function examineSecrets(sql: Sql, box: SecretBox, after: number, now: Date): Promise<SecretsBatch> {
  return batchOf(await readBatch(sql, after, BATCH), BATCH, (row) => examine(box, row, now).isOutdated);
}

/**
 * Encrypts the secrets of the next endpoint with the first key, if another one has encrypted them. If no key decrypts them, they are left
 * as they are, and reported.
 */
export async function resealSecrets(
  { sql, now }: InstallationWork,
  box: SecretBox,
  after: number,
): Promise<SecretsBatch> {
  const rows = await readBatch(sql, after, 1, 'FOR UPDATE');
  const changes: [string, string | null, number, number][] = [];
  const batch = batchOf(rows, 1, (row) => {
    const { isOutdated, secret, previous } = examine(box, row, now);
    if (isOutdated) changes.push([box.seal(secret), previous && box.seal(previous), row.companyId, row.id]);
    return isOutdated;
  });
  for (const change of changes) {
    const text = 'UPDATE webhook_endpoints SET secret = ?, previousSecret = ? WHERE companyId = ? AND id = ?';
    await sql.run(text, change);
  }
  return batch;
}

/** Returns the secrets of an endpoint; of an ended one null. @throws {SecretsUnavailable} */
function examine(
  box: SecretBox,
  { secret, previousSecret, previousSecretUntil: until }: SecretsRow,
  now: Date,
): { isOutdated: boolean; secret: string; previous: string | null } {
  const previous = until === null || fromSqlTime(until) <= now ? null : previousSecret;
  return {
    isOutdated: [secret, previous].some((sealed) => sealed !== null && !box.isSealedByFirst(sealed)),
    secret: box.open(secret),
    previous: previous && box.open(previous),
  };
}

function batchOf(rows: readonly SecretsRow[], limit: number, isOutdated: (row: SecretsRow) => boolean): SecretsBatch {
  const batch: SecretsBatch = { endpoints: rows.length, outdated: 0, unreadable: [], next: null };
  for (const row of rows) {
    try {
      if (isOutdated(row)) batch.outdated += 1;
    } catch (error) {
      if (!(error instanceof SecretsUnavailable)) throw error;
      batch.unreadable.push({ companyId: row.companyId, endpointId: row.id });
    }
  }
  const last = rows[rows.length - 1];
  return rows.length < limit || last === undefined ? batch : { ...batch, next: last.id };
}

/** By the unique key of ids: the companies do not matter here. */
function readBatch(sql: Sql, after: number, limit: number, lock: '' | 'FOR UPDATE' = ''): Promise<SecretsRow[]> {
  return sql.rows<SecretsRow>(
    `SELECT id, companyId, secret, previousSecret, previousSecretUntil FROM webhook_endpoints
      WHERE id > ? ORDER BY id LIMIT ${limit} ${lock}`,
    [after],
  );
}
