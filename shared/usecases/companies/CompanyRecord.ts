import type { Sql } from '../../database/sql';
import { NotFound } from '../../errors';

/** A company as one statement read it; moments as MySQL writes them (UTC). `logoKey` names its logo in the file store. */
export interface CompanyRecord {
  id: number;
  name: string;
  email: string | null;
  phone: string | null;
  address: string | null;
  taxId: string | null;
  currency: string;
  locale: string;
  timezone: string;
  invoiceNumberFormat: string;
  logoKey: string | null;
  createdAt: string;
  updatedAt: string;
}

/** What can be set; what is absent gets its default, or on a change stays as it is. */
export type CompanyInput = Partial<Omit<CompanyRecord, 'id' | 'logoKey' | 'createdAt' | 'updatedAt'>>;

/** @throws {NotFound} when there is no such company. */
export async function getCompany(sql: Sql, companyId: number): Promise<CompanyRecord> {
  const [company] = await sql.rows<CompanyRecord>(
    `SELECT id, name, email, phone, address, taxId, currency, locale, timezone, invoiceNumberFormat, logoKey, createdAt,
        updatedAt FROM companies WHERE id = ?`,
    [companyId],
  );
  if (company === undefined) throw new NotFound('company');
  return company;
}
