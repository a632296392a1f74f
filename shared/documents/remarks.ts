import type { InvoiceDocument } from './InvoiceDocument';
import { languages } from './languages';

/**
 * Returns the remarks below the amounts, each with its heading: why a credit note was issued, where to transfer money to, the terms, the
 * notes.
 */
export function remarksOf({ labels, ...invoice }: InvoiceDocument): { label: string; text: string }[] {
  const all = [
    { label: languages[invoice.language].creditNote.reason, text: invoice.corrects?.reason ?? '' },
    { label: labels.paymentInstructions, text: invoice.paymentInstructions },
    { label: labels.paymentTerms, text: invoice.paymentTerms },
    { label: labels.notes, text: invoice.notes },
  ];
  return all.filter(({ text }) => text.trim() !== '');
}
