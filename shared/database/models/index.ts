import { ApiKey } from './ApiKey';
import { Category } from './Category';
import { Client } from './Client';
import { Company } from './Company';
import { Email } from './Email';
import { Event } from './Event';
import { Expense } from './Expense';
import { IdempotencyKey } from './IdempotencyKey';
import { Invoice } from './Invoice';
import { InvoiceItem } from './InvoiceItem';
import { Job } from './Job';
import { NumberSequence } from './NumberSequence';
import { Payment } from './Payment';
import { PaymentLink } from './PaymentLink';
import { StoredFile } from './StoredFile';

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
  InvoiceItem,
  Job,
  Payment,
  PaymentLink,
  StoredFile,
};
