import { Company } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { NotFound } from '../../errors';
import { checkVersion } from '../entityTag';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { changedFields, recordEvent } from '../recordEvent';
import { moveMidnight } from '../recurrence/moveMidnight';
import { getCompany, type CompanyInput, type CompanyRecord } from './CompanyRecord';

/**
 * Changes what is given; with the time zone everything that is due at the company's midnight moves. Invoices that have left
 * `draft` keep printing the sender as it was; without a name or an e-mail address none can be sent.
 * @throws {NotFound}, {@link PreconditionFailed}.
 */
export async function updateCompany(
  uow: UnitOfWork,
  changes: CompanyInput,
  ifMatch: string | null = null,
): Promise<CompanyRecord> {
  const { companyId, now, transaction } = uow;
  const company = await Company.findOne({ where: { id: companyId }, lock: transaction.LOCK.UPDATE, transaction });
  if (company === null) throw new NotFound('company');
  checkVersion(company.updatedAt, ifMatch);
  const { updatedAt, overdueCheckAt: _before, ...before } = company.get({ plain: true }) as Company;
  await company.update({ ...changes, updatedAt: nextUpdatedAt(now, updatedAt) }, { transaction });
  if (company.timezone !== before.timezone) await moveMidnight(uow, company);
  const { updatedAt: _new, overdueCheckAt: _after, ...after } = company.get({ plain: true }) as Company;
  const changed = changedFields(before, after);
  await recordEvent(uow, 'company.updated', { type: 'company', id: companyId }, { changed });
  return getCompany(uow.sql, companyId);
}
