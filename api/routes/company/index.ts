import { getCompany, type CompanyInput } from '../../../shared/usecases/companies/CompanyRecord';
import { updateCompany } from '../../../shared/usecases/companies/updateCompany';
import { companySchema } from '../../presenters/company';
import { route, type Route } from '../../routing/Route';
import { companyAnswer } from './companyAnswer';
import { logoRoutes } from './logo';
import { updateCompanyBody } from './requests';

const tag = 'Company';

export const companyRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/company',
    scope: 'read',
    tag,
    summary: 'Get the company that the API key belongs to: the sender of its invoices',
    success: { status: 200, description: 'The company', schema: companySchema },
    handle: async ({ services, companyId }) => companyAnswer(services, await getCompany(services.sql, companyId)),
  }),
  route<CompanyInput>({
    method: 'PUT',
    path: '/api/company',
    scope: 'write',
    tag,
    summary: 'Update the company: only supplied fields change, and invoices that were sent keep showing what was sent',
    body: updateCompanyBody,
    success: { status: 200, description: 'The updated company', schema: companySchema },
    failures: { 412: '`If-Match` does not match.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) =>
        companyAnswer(call.services, await updateCompany(uow, call.body, call.preconditions.ifMatch)),
      ),
  }),
  ...logoRoutes,
];
