import { createInvoice } from './createInvoice';
import { listPaidInvoices, searchInvoices } from './filterInvoices';
import { getInvoice } from './getInvoice';
import { listInvoices } from './listInvoices';
import { newPdf } from './newPdf';
import type { Row } from './Row';
import { sendEmail } from './sendEmail';
import { storedPdf } from './storedPdf';

/** In the order in which they are measured: what reads comes before what adds. */
export const rows: readonly Row[] = [
  getInvoice,
  listInvoices,
  listPaidInvoices,
  searchInvoices,
  createInvoice,
  newPdf,
  storedPdf,
  sendEmail,
];
