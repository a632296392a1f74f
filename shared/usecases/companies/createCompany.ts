import { Company } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { recordEvent } from '../recordEvent';
import { getCompany, type CompanyInput, type CompanyRecord } from './CompanyRecord';

/** The scope of what happens before there is a company: its `companyId` is no company's. */
export const noCompany = (actor: string): { companyId: number; actor: string } => ({ companyId: 0, actor });

/**
 * Creates a tenant: IDR, `en`, Asia/Jakarta and `INV-{YYYY}-{SEQ:5}` where nothing else is given. The company of the unit of
 * work means nothing here ({@link noCompany}).
 */
export async function createCompany(uow: UnitOfWork, input: CompanyInput & { name: string }): Promise<CompanyRecord> {
  const company = await Company.create(
    {
      email: null,
      phone: null,
      address: null,
      taxId: null,
      currency: 'IDR',
      locale: 'en',
      timezone: 'Asia/Jakarta',
      invoiceNumberFormat: 'INV-{YYYY}-{SEQ:5}',
      logoKey: null,
      ...input,
      createdAt: uow.now,
      updatedAt: uow.now,
    },
    { transaction: uow.transaction },
  );
  const { id } = company;
  await recordEvent({ ...uow, companyId: id }, 'company.created', { type: 'company', id }, { name: input.name });
  return getCompany(uow.sql, id);
}
