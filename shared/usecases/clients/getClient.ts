import type { Sql } from '../../database/sql';
import { NotFound } from '../../errors';
import { clientColumns, type ClientRecord } from './ClientRecord';

/** @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`). */
export async function getClient(
  sql: Sql,
  companyId: number,
  clientId: number,
  { includeDeleted = false } = {},
): Promise<ClientRecord> {
  const [client] = await sql.rows<ClientRecord>(
    `SELECT ${clientColumns} FROM clients c WHERE c.companyId = ? AND c.id = ?`,
    [companyId, clientId],
  );
  if (client === undefined || (client.softDelete === 1 && !includeDeleted)) throw new NotFound('client');
  return client;
}
