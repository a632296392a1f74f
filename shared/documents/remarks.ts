import type { InvoiceDocument } from './InvoiceDocument';

/** What stands below the amounts, each with its heading: where to transfer money to, the terms, the notes. */
export function remarksOf({ labels, ...invoice }: InvoiceDocument): { label: string; text: string }[] {
  const all = [
    { label: labels.paymentInstructions, text: invoice.paymentInstructions },
    { label: labels.paymentTerms, text: invoice.paymentTerms },
    { label: labels.notes, text: invoice.notes },
  ];
  return all.filter(({ text }) => text.trim() !== '');
}
