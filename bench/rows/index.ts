import { createExpense } from './createExpense';
import { createInvoice } from './createInvoice';
import { creditNote } from './creditNote';
import { cursor } from './cursor';
import { exportInvoices } from './exportInvoices';
import { getInvoice } from './getInvoice';
import { hostedPage } from './hostedPage';
import { importExpenses } from './importExpenses';
import { listExpenses } from './listExpenses';
import { listInvoices } from './listInvoices';
import { metrics } from './metrics';
import { newPdf } from './newPdf';
import { readEvents } from './readEvents';
import { receivables } from './receivables';
import { receiveCallback } from './receiveCallback';
import { relayDueJobs } from './relay';
import type { Row } from './Row';
import { sendEmail } from './sendEmail';
import { storedPdf } from './storedPdf';
import { dueOccurrences, emptyScan } from './scans';
import { webhooks } from './webhooks';

/** All rows, in the order of measurement: rows that read come before rows that add records. */
export const rows: readonly Row[] = [
  getInvoice,
  listInvoices,
  listExpenses,
  readEvents,
  hostedPage,
  cursor,
  exportInvoices,
  receivables,
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
  emptyScan,
  relayDueJobs,
  metrics,
];
