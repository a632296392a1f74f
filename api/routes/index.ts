import type { Route } from '../routing/Route';
import { apiKeyRoutes } from './apiKeys';
import { categoryRoutes } from './categories';
import { clientRoutes } from './clients';
import { companyRoutes } from './company';
import { expenseRoutes } from './expenses';
import { invoiceRoutes } from './invoices';
import { jobRoutes } from './jobs';
import { receiptRoutes } from './receipts';
import { occurrenceRoutes } from './occurrences';

/** Every operation under `/api`; the router, the OpenAPI document and the contract tests are made from it. */
export const routes: readonly Route[] = [
  ...invoiceRoutes,
  ...expenseRoutes,
  ...occurrenceRoutes,
  ...clientRoutes,
  ...categoryRoutes,
  ...receiptRoutes,
  ...companyRoutes,
  ...apiKeyRoutes,
  ...jobRoutes,
];
