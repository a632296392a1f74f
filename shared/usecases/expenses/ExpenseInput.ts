import type { DateOnly } from '../../domain/dates';
import type { ExpenseStatus, Recurrence } from '../../domain/statuses';

/** A checked create request. Days are `YYYY-MM-DD`. */
export interface ExpenseInput {
  categoryId: number;
  /** The caller's own number; nothing is looked up. */
  vendorId?: number | null;
  vendor: string;
  description?: string;
  /** Above 0, at most two places. */
  amount: number;
  currency?: string;
  expenseDate: DateOnly;
  receiptUrl?: string | null;
  status?: ExpenseStatus;
  recurring?: Recurrence;
  nextDueDate?: DateOnly | null;
}

/** A PUT: what is absent stays as it is. */
export type ExpenseChanges = Partial<ExpenseInput>;
