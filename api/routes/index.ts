import type { Route } from '../routing/Route';
import { invoiceRoutes } from './invoices';
import { jobRoutes } from './jobs';

/** Every operation under `/api`; the router, the OpenAPI document and the contract tests are made from it. */
export const routes: readonly Route[] = [...invoiceRoutes, ...jobRoutes];
