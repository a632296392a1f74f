import { Company } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { NotFound } from '../../errors';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { recordEvent } from '../recordEvent';

/** Makes a stored file (or null: none) the company's logo. Answers the key before. */
export async function changeLogo(uow: UnitOfWork, logoKey: string | null): Promise<string | null> {
  const { companyId, now, transaction } = uow;
  const company = await Company.findOne({ where: { id: companyId }, lock: transaction.LOCK.UPDATE, transaction });
  if (company === null) throw new NotFound('company');
  const before = company.logoKey;
  await company.update({ logoKey, updatedAt: nextUpdatedAt(now, company.updatedAt) }, { transaction });
  const changed = { logoKey: [before, logoKey] };
  await recordEvent(uow, 'company.updated', { type: 'company', id: companyId }, { changed });
  return before;
}
