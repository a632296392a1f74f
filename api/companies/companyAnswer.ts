import type { Services } from '../../shared/kernel/services';
import { type CompanyRecord, presentCompany } from '../../shared/companies';
import { entityTag } from '../../shared/kernel/records/entityTag';
import { ok, type Answer } from '../http/routing/Answer';

/** The company as every operation on it answers it. */
export function companyAnswer({ config }: Services, company: CompanyRecord): Answer {
  return ok(presentCompany(company, config.publicUrl), { ETag: entityTag(company.updatedAt) });
}
