import type { InvoiceDocument } from './InvoiceDocument';

/** A line below the items. */
export interface SumLine {
  label: string;
  /** Beside the label: a tax rate, the day of a payment. */
  detail: string | null;
  amount: string;
  isBold: boolean;
}

/**
 * Returns the lines below the items of an e-mail and of the page: subtotal and tax where there is tax, the total, payments, the amount due.
 */
export function sumsOf({ labels, ...invoice }: InvoiceDocument): SumLine[] {
  const line = (label: string, amount: string, detail: string | null = null, isBold = false): SumLine => ({
    ...{ label, detail, amount, isBold },
  });
  const { taxed, payments, credited } = invoice;
  return [
    ...(taxed ? [line(labels.subtotal, invoice.subtotal), line(labels.tax, invoice.tax, invoice.taxRate)] : []),
    line(labels.total, invoice.total, null, true),
    ...(credited === null ? [] : [line(labels.credited, credited)]),
    ...payments.map(({ date, amount }) => line(labels.amountPaid, amount, date)),
    ...(payments.length > 0 || credited !== null ? [line(labels.amountDue, invoice.due, null, true)] : []),
  ];
}
