import type { ExpenseStatus, Recurrence } from '../../domain/statuses';

/**
 * An expense as one statement read it: the exact amount and days as strings, moments as MySQL writes them (UTC, milliseconds;
 * `toIsoTime` makes them ISO 8601), `softDelete` 0 or 1. Presenters turn it into JSON.
 */
export interface ExpenseRecord {
  id: number;
  companyId: number;
  categoryId: number;
  vendorId: number | null;
  vendor: string;
  description: string;
  amount: string;
  currency: string;
  expenseDate: string;
  receiptUrl: string | null;
  status: ExpenseStatus;
  recurring: Recurrence;
  nextDueDate: string | null;
  createdAt: string;
  updatedAt: string;
  softDelete: 0 | 1;
  categoryName: string;
  /** A renamed category is another version of what is shown. */
  categoryUpdatedAt: string;
}

/** Of an expense (e) and its category (c), for {@link ExpenseRecord}. */
export const expenseColumns = `e.id, e.companyId, e.categoryId, e.vendorId, e.vendor, e.description, e.amount, e.currency,
  e.expenseDate, e.receiptUrl, e.status, e.recurring, e.nextDueDate, e.createdAt, e.updatedAt, e.softDelete,
  c.name AS categoryName, c.updatedAt AS categoryUpdatedAt`;

export const joinCategory = 'JOIN categories c ON c.companyId = e.companyId AND c.id = e.categoryId';
