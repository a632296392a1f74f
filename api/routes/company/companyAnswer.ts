import type { Services } from '../../../shared/services';
import type { CompanyRecord } from '../../../shared/usecases/companies/CompanyRecord';
import { entityTag } from '../../../shared/usecases/entityTag';
import { presentCompany } from '../../presenters/company';
import { ok, type Answer } from '../../routing/Route';

/** The company as every operation on it answers it. */
export function companyAnswer({ config }: Services, company: CompanyRecord): Answer {
  return ok(presentCompany(company, config.publicUrl), { ETag: entityTag(company.updatedAt) });
}
