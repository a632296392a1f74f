import { invoiceEvents } from './events';
import type { InvoiceStatus } from './statuses';

/** What holds for an invoice in one status. */
export interface InvoiceRules {
  /** Whether it can be e-mailed to its client. */
  readonly canBeEmailed: boolean;
  /** Whether it can be paid at the gateway: it gets payment links, and open ones stay open. */
  readonly canBePaid: boolean;
  /** Whether the details of sender and client are frozen, so that later edits of them do not rewrite what was sent. */
  readonly freezesParties: boolean;
  /** What is recorded when an invoice enters the status, whichever way; `invoice.updated` alone says that one is a draft again. */
  readonly entered: (typeof invoiceEvents)[Exclude<InvoiceStatus, 'draft'>] | null;
}

export const invoiceRules: Readonly<Record<InvoiceStatus, InvoiceRules>> = {
  draft: { canBeEmailed: true, canBePaid: true, freezesParties: false, entered: null },
  sent: { canBeEmailed: true, canBePaid: true, freezesParties: true, entered: invoiceEvents.sent },
  overdue: { canBeEmailed: true, canBePaid: true, freezesParties: true, entered: invoiceEvents.overdue },
  paid: { canBeEmailed: true, canBePaid: false, freezesParties: true, entered: invoiceEvents.paid },
  cancelled: { canBeEmailed: false, canBePaid: false, freezesParties: true, entered: invoiceEvents.cancelled },
};

/** What sending an invoice or giving it a payment link makes of its status: a draft becomes `sent`, any other stays. */
export function statusWhenSent(status: InvoiceStatus): InvoiceStatus {
  return status === 'draft' ? 'sent' : status;
}

/** When an invoice was sent and paid; null for never. */
export interface InvoiceTimes {
  sentAt: Date | null;
  paidAt: Date | null;
}

/** The times of a new invoice. */
export const neverSentNorPaid: InvoiceTimes = { sentAt: null, paidAt: null };

/** The times of an invoice that enters `status` at `now`: `sent` sets `sentAt`; `paid` sets `paidAt`, any other clears it. */
export function timesAfter(status: InvoiceStatus, before: InvoiceTimes, now: Date, paidAt: Date = now): InvoiceTimes {
  return {
    sentAt: status === 'sent' ? now : before.sentAt,
    paidAt: status === 'paid' ? paidAt : null,
  };
}
