import type { Services } from '../../shared/services';
import { type CompanyRecord, presentCompany } from '../../shared/companies';
import { entityTag } from '../../shared/engine/records';
import { ok, type RouteResponse } from '../http/routing/RouteResponse';

/** Returns the response of every operation on the company. */
export function companyResponse({ config }: Services, company: CompanyRecord): RouteResponse {
  return ok(presentCompany(company, config.publicUrl), { ETag: entityTag(company.updatedAt) });
}
