import type { InvoiceDocument } from '../../shared/document/InvoiceDocument';
import { serveMeasurements } from '../measuring/serveMeasurements';
import { measureRawPdfLoop } from '../pdfLoop';

export interface PrintTask {
  documents: InvoiceDocument[];
  seconds: number;
}

serveMeasurements<PrintTask>(async ({ documents, seconds }) => {
  const perSecond = await measureRawPdfLoop({ documents, seconds });
  return { perSecond, p50Ms: null, p99Ms: null, done: Math.round(perSecond * seconds) };
});
