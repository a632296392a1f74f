import { broken, type Finding, ok } from '../../../shared/engine/checks';
import type { Sql } from '../../../shared/engine/db';
import { databaseOf, connectionProblem, serverOf } from '../../connectionProblem';

/** Checks that DATABASE_URL leads to a server that accepts the account and has the database. */
export async function checkConnection(sql: Sql, databaseUrl: string): Promise<Finding> {
  try {
    const [row] = await sql.rows<{ account: string }>('SELECT CURRENT_USER() AS account');
    return ok(`database ${databaseOf(databaseUrl)} of ${serverOf(databaseUrl)} as ${row?.account}`);
  } catch (error) {
    const { message, remedy } = connectionProblem(databaseUrl, error);
    return broken(message, remedy ?? 'Start MySQL, or correct DATABASE_URL.');
  }
}
