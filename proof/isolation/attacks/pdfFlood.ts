import type { Attack } from '../Attack';
import { printFreshInvoices } from './printFreshInvoices';

export const pdfFlood: Attack = {
  name: 'pdf-flood',
  what: 'PDFs of new invoices, 32 connections',
  run: (attacker, signal) => printFreshInvoices(attacker, 32, signal),
};

export const longPdfs: Attack = {
  name: 'pdf-long',
  what: 'PDFs of 1,000 items with 20 lines each, 4 connections',
  run: (attacker, signal) => {
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      description: Array.from({ length: 20 }, (_line, line) => `line ${line} of ${index}`).join('\n'),
      quantity: '1.00',
      unitPrice: '1.00',
    }));
    return printFreshInvoices(attacker, 4, signal, () => ({ items }));
  },
};
