import { attemptsOfCutOffRender, queues, renderFairness } from '../../config/queues';
import { printableLogo } from '../../shared/companies';
import {
  loadCreditNoteDocument,
  loadInvoiceDocument,
  pdfFileKey,
  type RenderInvoicePdf,
} from '../../shared/invoiceDocuments';
import { AppError, RenderCutOff } from '../../shared/engine/errors';
import type { LoopShare } from '../../shared/engine/fair';
import { withLogFields } from '../../shared/engine/log';
import type { Services } from '../../shared/services';
import { traced } from '../../shared/engine/trace';
import type { PdfRenderer } from '../pdf/PdfRenderer';
import { backoff } from '../jobs/backoff';
import { countStoredPdfs } from './countStoredPdfs';
import type { EntryOutcome, QueueEntry } from '../jobs/ServedQueue';

/** A print among long ones may take so many times as long as among usual ones. */
const SLOWER_AMONG_LONG = 3;

/** Processes entries of the render queues. A render has no row, so BullMQ counts how often it was started. */
export function processRender(services: Services, renderer: PdfRenderer): (entry: QueueEntry) => Promise<EntryOutcome> {
  const stored = countStoredPdfs(services);
  const process = async (request: RenderInvoicePdf, starts: number, loop: LoopShare): Promise<EntryOutcome> => {
    const { companyId, isLong, traceparent = null } = request;
    // Those that wait for it queue it again, as a long one.
    if (!isLong && starts === 1 && services.slowRenders.hasRecorded(companyId)) return { done: null };
    const attributes = { 'invoicing.company.id': companyId };
    try {
      const done = await traced('run renderInvoicePdf', { kind: 'consumer', parent: traceparent, attributes }, () =>
        renderInvoicePdf(services, renderer, request, {
          stored,
          // The browser uses this process's processors. Uncounted, a long print would make other companies look like those that use most.
          printed: (ms) => loop.charge(companyId, Math.max(0, ms - renderFairness.usualMs)),
        }),
      );
      return { done };
    } catch (error) {
      services.log.warn({ err: error }, 'a render failed');
      if (starts >= attemptsAfter(error)) return { failed: new Error(String(error)) };
      return { delayMs: backoff(queues.pdf.retries, starts) };
    }
  };
  return ({ id, data, starts, loop }) => {
    const request = data as RenderInvoicePdf;
    const { companyId, requestId } = request;
    const fields = { jobId: id, companyId, attempt: starts, ...(requestId && { requestId }) };
    return withLogFields(fields, () => process(request, starts, loop));
  };
}

function attemptsAfter(error: unknown): number {
  if (error instanceof RenderCutOff) return attemptsOfCutOffRender;
  return error instanceof AppError && error.retryable ? queues.pdf.retries.attempts : 1;
}

/**
 * Renders an invoice, or a credit note of it, as it is now and stores it under the key of what was rendered. Returns that key: it may be
 * newer than the requested one, and may have been stored by a run just before. Pure, so it has no row and may run any number of times.
 */
async function renderInvoicePdf(
  services: Services,
  renderer: PdfRenderer,
  { companyId, invoiceId, creditNoteId = null, asSent, isLong }: RenderInvoicePdf,
  report: { stored: (companyId: number, bytes: number) => void; printed: (tookMs: number) => void },
): Promise<string> {
  const { files } = services;
  const {
    document,
    key,
    isLong: isLongPrint,
  } = creditNoteId === null
    ? await loadInvoiceDocument(services, companyId, invoiceId, { asSent })
    : await loadCreditNoteDocument(services, companyId, creditNoteId);
  const fileKey = pdfFileKey(companyId, key);
  if ((await files.get(fileKey)) !== null) return key;
  const logo = document.logoKey === null ? null : await printableLogo(services, companyId, document.logoKey);
  let tookMs = 0;
  try {
    const pdf = await renderer.render(document, logo, { isLong, onEnd: (ms) => (tookMs = ms) });
    await files.put(fileKey, pdf, true);
    report.stored(companyId, pdf.length);
  } finally {
    report.printed(tookMs);
    // A long invoice takes long. It says nothing of the company's usual ones.
    if (!isLongPrint) await services.slowRenders.record(companyId, isLong ? tookMs / SLOWER_AMONG_LONG : tookMs);
  }
  return key;
}
