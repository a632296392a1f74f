import { ApiKey } from './apiKeys/ApiKey';
import { Category } from './categories/Category';
import { Client } from './clients/Client';
import { Company } from './companies/Company';
import { Expense } from './expenses/Expense';
import { IdempotencyKey } from './engine/idempotency';
import { Invoice } from './invoices/Invoice';
import { InvoiceItem } from './invoices/InvoiceItem';
import { Job } from './engine/jobs';
import { Payment } from './balance/Payment';
import { PaymentLink } from './paymentLinks/PaymentLink';
import { WebhookEndpoint } from './webhooks/WebhookEndpoint';

export const models = [
  ApiKey,
  Category,
  Client,
  Company,
  Expense,
  IdempotencyKey,
  Invoice,
  InvoiceItem,
  Job,
  Payment,
  PaymentLink,
  WebhookEndpoint,
];

export {
  ApiKey,
  Category,
  Client,
  Company,
  Expense,
  IdempotencyKey,
  Invoice,
  Job,
  Payment,
  PaymentLink,
  WebhookEndpoint,
};
