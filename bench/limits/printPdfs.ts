import type { InvoiceDocument } from '../../shared/documents';
import { serveTasks } from '../../dev/tasks/serveTasks';
import { measureRawPdfLoop } from '../pdfLoop';

export interface PrintTask {
  documents: InvoiceDocument[];
  seconds: number;
}

serveTasks(async ({ documents, seconds }: PrintTask) => {
  const perSecond = await measureRawPdfLoop({ documents, seconds });
  return { perSecond, p50Ms: null, p99Ms: null, done: Math.round(perSecond * seconds) };
});
