import { company, type CompanyInput, companySchema, getCompany, updateCompany } from '../../shared/companies';
import { ValidationFailed } from '../../shared/engine/errors';
import type { Services } from '../../shared/services';
import { route, type Route } from '../http/routing/Route';
import { companyResponse } from './companyResponse';
import { logoRoutes } from './logo';

const tag = 'Company';

export const companyRoutes: Route[] = [
  route({
    operationId: 'getCompany',
    method: 'GET',
    path: '/api/company',
    scope: 'read',
    tag,
    summary: 'Get the company that the API key belongs to: the sender of its invoices',
    success: { headers: ['ETag'], status: 200, description: 'The company', schema: companySchema },
    handle: async ({ services, companyId }) => companyResponse(services, await getCompany(services.sql, companyId)),
  }),
  route<CompanyInput>({
    operationId: 'updateCompany',
    method: 'PUT',
    path: '/api/company',
    scope: 'write',
    tag,
    summary: 'Update the company: only supplied fields change, and invoices that were sent keep showing what was sent',
    body: company.changesBody,
    example: { body: { phone: '+62 21 555 0101', reminderDays: [-3, 7] } },
    success: { headers: ['ETag'], status: 200, description: 'The updated company', schema: companySchema },
    failures: { 412: '`If-Match` does not match.' },
    handle: (call) => {
      checkProvider(call.services, call.body);
      return call.inUnitOfWork(async (uow) =>
        companyResponse(call.services, await updateCompany(uow, call.body, call.preconditions.ifMatch)),
      );
    },
  }),
  ...logoRoutes,
];

/** @throws {ValidationFailed} for a payment provider whose callbacks this installation cannot authenticate. */
function checkProvider({ config: { gateway } }: Services, { gatewayProvider: provider }: CompanyInput): void {
  if (!provider || provider === gateway.provider || gateway.providers[provider].callbackSecret !== '') return;
  throw ValidationFailed.at('gatewayProvider', 'is not configured in this installation');
}
