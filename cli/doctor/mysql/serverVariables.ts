import { placeholders, type Sql } from '../../../shared/engine/db';

/** Values by name, without those that the server does not have. */
export type ServerVariables<N extends string> = Readonly<Partial<Record<N, string>>>;

/** Returns those of MySQL's variables that the server has, as they are for sessions of the service. */
export async function serverVariables<const N extends string>(
  sql: Sql,
  names: readonly N[],
): Promise<ServerVariables<N>> {
  const rows = await sql.rows<{ Variable_name: N; Value: string }>(
    `SHOW SESSION VARIABLES WHERE Variable_name IN (${placeholders(names.length)})`,
    names,
  );
  return Object.fromEntries(rows.map(({ Variable_name: name, Value: value }) => [name, value])) as ServerVariables<N>;
}
