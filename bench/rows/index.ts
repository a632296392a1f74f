import { createExpense } from './createExpense';
import { createInvoice } from './createInvoice';
import { listPaidInvoices, searchInvoices } from './filterInvoices';
import { getInvoice } from './getInvoice';
import { listExpenses } from './listExpenses';
import { listInvoices } from './listInvoices';
import { newPdf } from './newPdf';
import type { Row } from './Row';
import { sendEmail } from './sendEmail';
import { storedPdf } from './storedPdf';
import { dueOccurrences, emptySweep } from './sweeps';

/** In the order in which they are measured: what reads comes before what adds. */
export const rows: readonly Row[] = [
  getInvoice,
  listInvoices,
  listPaidInvoices,
  searchInvoices,
  listExpenses,
  createInvoice,
  createExpense,
  newPdf,
  storedPdf,
  sendEmail,
  dueOccurrences,
  emptySweep,
];
