import { invoiceEvents } from './events';
import { invoiceStatuses, type InvoiceStatus } from './statuses';

/** The rules of one status of an invoice. */
export interface InvoiceRules {
  /** Whether it can be e-mailed to its client. */
  readonly canBeEmailed: boolean;
  /** Whether it can be paid at the gateway: it gets payment links, and open ones stay open. */
  readonly canBePaid: boolean;
  /** Whether payments made elsewhere are accepted. The gateway's are always recorded, with a flag if not accepted. */
  readonly takesPayments: boolean;
  /** Whether credit notes correct it; a draft is edited instead. */
  readonly takesCreditNotes: boolean;
  /** Whether reminders are sent while something of it is due. */
  readonly isReminded: boolean;
  /** Whether the details of sender and client are frozen, so that later edits of them do not rewrite what was sent. */
  readonly freezesParties: boolean;
  /** The event that is recorded when an invoice enters the status, in any way. Only `invoice.updated` is recorded for a return to draft. */
  readonly entered: (typeof invoiceEvents)[Exclude<InvoiceStatus, 'draft'>] | null;
}

export const invoiceRules: Readonly<Record<InvoiceStatus, InvoiceRules>> = {
  draft: {
    canBeEmailed: true,
    canBePaid: true,
    takesPayments: true,
    takesCreditNotes: false,
    isReminded: false,
    freezesParties: false,
    entered: null,
  },
  sent: {
    canBeEmailed: true,
    canBePaid: true,
    takesPayments: true,
    takesCreditNotes: true,
    isReminded: true,
    freezesParties: true,
    entered: invoiceEvents.sent,
  },
  overdue: {
    canBeEmailed: true,
    canBePaid: true,
    takesPayments: true,
    takesCreditNotes: true,
    isReminded: true,
    freezesParties: true,
    entered: invoiceEvents.overdue,
  },
  paid: {
    canBeEmailed: true,
    canBePaid: false,
    takesPayments: true,
    takesCreditNotes: true,
    isReminded: false,
    freezesParties: true,
    entered: invoiceEvents.paid,
  },
  cancelled: {
    canBeEmailed: false,
    canBePaid: false,
    takesPayments: false,
    takesCreditNotes: false,
    isReminded: false,
    freezesParties: true,
    entered: invoiceEvents.cancelled,
  },
};

/** The statuses of invoices for which reminders are sent. */
export const remindedStatuses: readonly InvoiceStatus[] = invoiceStatuses.filter(
  (status) => invoiceRules[status].isReminded,
);

/** SQL: {@link remindedStatuses}, as the list of an IN. */
export const remindedSql = sqlList(remindedStatuses);

/**
 * SQL: the statuses in which something may be due, as the list of an IN: all but `draft`, and `paid`, whose invoices are found by `paidAt`.
 */
export const maybeDueSql = sqlList(invoiceStatuses.filter((status) => status !== 'draft' && status !== 'paid'));

function sqlList(statuses: readonly InvoiceStatus[]): string {
  return statuses.map((status) => `'${status}'`).join(', ');
}

/** Returns the status after the invoice is sent or gets a payment link: a draft becomes `sent`, any other stays. */
export function statusWhenSent(status: InvoiceStatus): InvoiceStatus {
  return status === 'draft' ? 'sent' : status;
}

/** Whether counted payments cover the total of an invoice, and whether they did before the change. */
export interface Coverage {
  readonly isCovered: boolean;
  readonly wasCovered: boolean;
}

/**
 * Returns the status after a change of the payments. A payable invoice is `paid` once they cover it, and open again, never a draft, when
 * they no longer do. A `paid` that was set without payments stays, and so does every other status.
 */
export function statusByPayments(
  status: InvoiceStatus,
  { isCovered, wasCovered }: Coverage,
  isPastDue: boolean,
): InvoiceStatus {
  if (invoiceRules[status].canBePaid) return isCovered ? 'paid' : status;
  if (status === 'paid' && wasCovered && !isCovered) return isPastDue ? 'overdue' : 'sent';
  return status;
}

/** Returns the status of an invoice once credit notes take back all of it: an unpaid one is cancelled, any other keeps its status. */
export function statusWhenCredited(status: InvoiceStatus): InvoiceStatus {
  return invoiceRules[status].canBePaid ? 'cancelled' : status;
}

/** When an invoice was sent, paid and cancelled; null for never. */
export interface InvoiceTimes {
  sentAt: Date | null;
  paidAt: Date | null;
  cancelledAt: Date | null;
}

/** Returns the times of a new invoice. */
export const neverSentNorPaid: InvoiceTimes = { sentAt: null, paidAt: null, cancelledAt: null };

/**
 * Returns the times of an invoice that enters `status` at `now`: `sent` sets `sentAt`; `paid` sets `paidAt` and `cancelled` sets
 * `cancelledAt`, any other clears them.
 */
export function timesAfter(status: InvoiceStatus, before: InvoiceTimes, now: Date, paidAt: Date = now): InvoiceTimes {
  return {
    sentAt: status === 'sent' ? now : before.sentAt,
    paidAt: status === 'paid' ? paidAt : null,
    cancelledAt: status === 'cancelled' ? now : null,
  };
}
