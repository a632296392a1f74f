import { ApiKey } from './apiKeys/ApiKey';
import { Category } from './categories/Category';
import { Client } from './clients/Client';
import { Company } from './companies/Company';
import { CreditNote } from './creditNotes/CreditNote';
import { CreditNoteItem } from './creditNotes/CreditNoteItem';
import { Email } from './emails/Email';
import { Event } from './engine/events';
import { Expense } from './expenses/Expense';
import { IdempotencyKey } from './engine/idempotency';
import { Invoice } from './invoices/Invoice';
import { InvoiceItem } from './invoices/InvoiceItem';
import { Job } from './engine/jobs';
import { Payment } from './balance/Payment';
import { PaymentLink } from './paymentLinks/PaymentLink';
import { StoredFile } from './engine/files';
import { WebhookDelivery } from './webhooks/WebhookDelivery';
import { WebhookEndpoint } from './webhooks/WebhookEndpoint';

export const models = [
  ApiKey,
  Category,
  Client,
  Company,
  CreditNote,
  CreditNoteItem,
  Email,
  Event,
  Expense,
  IdempotencyKey,
  Invoice,
  InvoiceItem,
  Job,
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
