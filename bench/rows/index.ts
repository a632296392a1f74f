import { createExpense, createInvoice, creditNote } from './writes';
import { dueOccurrences } from './dueOccurrences';
import { exportInvoices } from './exportInvoices';
import { getInvoice, listExpenses, listInvoices, readEvents } from './reads';
import { hostedPage } from './hostedPage';
import { importExpenses } from './importExpenses';
import { newPdf, storedPdf } from './pdfs';
import { redisClusterRows } from './redisCluster';
import { receiveCallback } from './receiveCallback';
import type { Row } from './Row';
import { sendEmail } from './emails';
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
  ...redisClusterRows,
];
