import type { Sql } from '../engine/db';

/** Returns the IANA time zone of a company. */
export async function companyTimezone(sql: Sql, companyId: number): Promise<string> {
  const [company] = await sql.rows<{ timezone: string }>('SELECT timezone FROM companies WHERE id = ?', [companyId]);
  if (company === undefined) throw new Error(`there is no company ${companyId}`);
  return company.timezone;
}
