import type { Route } from '../routing/Route';
import { apiKeyRoutes } from './apiKeys';
import { categoryRoutes } from './categories';
import { clientRoutes } from './clients';
import { companyRoutes } from './company';
import { invoiceRoutes } from './invoices';
import { jobRoutes } from './jobs';

/** Every operation under `/api`; the router, the OpenAPI document and the contract tests are made from it. */
export const routes: readonly Route[] = [
  ...invoiceRoutes,
  ...clientRoutes,
  ...categoryRoutes,
  ...companyRoutes,
  ...apiKeyRoutes,
  ...jobRoutes,
];
