import { createExpense } from './createExpense';
import { createInvoice } from './createInvoice';
import { creditNote } from './creditNote';
import { dueOccurrences } from './dueOccurrences';
import { exportInvoices } from './exportInvoices';
import { getInvoice } from './getInvoice';
import { hostedPage } from './hostedPage';
import { importExpenses } from './importExpenses';
import { listExpenses } from './listExpenses';
import { listInvoices } from './listInvoices';
import { newPdf } from './newPdf';
import { readEvents } from './readEvents';
import { receiveCallback } from './receiveCallback';
import type { Row } from './Row';
import { sendEmail } from './sendEmail';
import { storedPdf } from './storedPdf';
import { webhooks } from './webhooks';

/** All rows, in the order of measurement: rows that read come before rows that add records. */
export const rows: readonly Row[] = [
  getInvoice,
  listInvoices,
  listExpenses,
  readEvents,
  hostedPage,
  exportInvoices,
  createInvoice,
  creditNote,
  createExpense,
  importExpenses,
  newPdf,
  storedPdf,
  receiveCallback,
  sendEmail,
  webhooks,
  dueOccurrences,
];
