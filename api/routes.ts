import type { Route } from './http/routing/Route';
import { apiKeyRoutes } from './apiKeys/routes';
import { categoryRoutes } from './categories/routes';
import { clientRoutes } from './clients/routes';
import { companyRoutes } from './companies/routes';
import { creditNoteRoutes } from './creditNotes/routes';
import { detailRoutes } from './details/routes';
import { emailRoutes } from './emails/routes';
import { eventRoutes } from './events/routes';
import { expenseRoutes } from './expenses/routes';
import { hostedPageRoutes } from './hostedPages/routes';
import { importRoutes } from './imports/routes';
import { invoiceRoutes } from './invoices/routes';
import { jobRoutes } from './jobs/routes';
import { reportRoutes } from './reports/routes';
import { receiptRoutes } from './receipts/routes';
import { paymentRoutes } from './payments/routes';
import { recurrenceRoutes } from './recurrence/routes';
import { webhookRoutes } from './webhooks/routes';
import { scheduleRoutes } from './schedules/routes';
import { timelineRoutes } from './timeline/routes';

/** Every operation under `/api`. The router, the OpenAPI document and the contract tests use this list. */
export const routes: readonly Route[] = [
  ...invoiceRoutes,
  ...paymentRoutes,
  ...creditNoteRoutes,
  ...hostedPageRoutes,
  ...detailRoutes,
  ...emailRoutes,
  ...expenseRoutes,
  ...recurrenceRoutes,
  ...timelineRoutes,
  ...reportRoutes,
  ...clientRoutes,
  ...categoryRoutes,
  ...receiptRoutes,
  ...importRoutes,
  ...companyRoutes,
  ...apiKeyRoutes,
  ...webhookRoutes,
  ...eventRoutes,
  ...jobRoutes,
  ...scheduleRoutes,
];
