import { ApiKey } from './apiKeys/ApiKey';
import { Category } from './categories/Category';
import { Client } from './clients/Client';
import { Company } from './companies/Company';
import { Email } from './emails/Email';
import { Event } from './kernel/events/Event';
import { Expense } from './expenses/Expense';
import { IdempotencyKey } from './kernel/idempotency/IdempotencyKey';
import { Invoice } from './invoices/Invoice';
import { InvoiceItem } from './invoices/InvoiceItem';
import { Job } from './kernel/jobs/Job';
import { NumberSequence } from './invoices/NumberSequence';
import { Payment } from './payments/Payment';
import { PaymentLink } from './paymentLinks/PaymentLink';
import { StoredFile } from './kernel/files/StoredFile';
import { WebhookDelivery } from './webhooks/WebhookDelivery';
import { WebhookEndpoint } from './webhooks/WebhookEndpoint';

export const models = [
  ApiKey,
  Category,
  Client,
  Company,
  Email,
  Event,
  Expense,
  IdempotencyKey,
  Invoice,
  InvoiceItem,
  Job,
  NumberSequence,
  Payment,
  PaymentLink,
  StoredFile,
  WebhookDelivery,
  WebhookEndpoint,
];

export {
  ApiKey,
  Category,
  Client,
  Company,
  Email,
  Event,
  Expense,
  IdempotencyKey,
  Invoice,
  Job,
  Payment,
  PaymentLink,
  StoredFile,
  WebhookDelivery,
  WebhookEndpoint,
};
