import type { DateOnly } from '../../domain/dates';
import type { InvoiceStatus, Recurrence } from '../../domain/statuses';

/** Decimals as they came, a JSON number or a string; at most two places. Days are `YYYY-MM-DD`. */
export interface InvoiceInput {
  clientId: number;
  invoiceNumber?: string;
  status?: InvoiceStatus;
  issueDate: DateOnly;
  dueDate: DateOnly;
  taxRate?: string | number;
  notes?: string;
  currency?: string;
  recurring?: Recurrence;
  nextDueDate?: DateOnly | null;
  items: InvoiceItemInput[];
}

export interface InvoiceItemInput {
  description: string;
  quantity: string | number;
  unitPrice: string | number;
}

/** A PUT: what is absent stays as it is; `items` replace all that were there. */
export type InvoiceChanges = Partial<InvoiceInput>;
