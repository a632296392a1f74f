import { attemptsOfCutOffRender, retryPolicies } from '../../config/queues';
import { printableLogo } from '../../shared/companies';
import { loadInvoiceDocument, pdfFileKey, type RenderInvoicePdf } from '../../shared/invoices';
import { AppError, RenderCutOff } from '../../shared/kernel/errors';
import type { Services } from '../../shared/kernel/services';
import type { PdfRenderer } from '../pdf/PdfRenderer';
import { backoff } from '../pool/backoff';
import type { EntryOutcome, QueueEntry } from '../pool/ServedQueue';

/** Processes entries of the render queues. A render has no row, so BullMQ counts how often it was started. */
export function processRender(services: Services, renderer: PdfRenderer): (entry: QueueEntry) => Promise<EntryOutcome> {
  return async ({ id, data, starts }) => {
    const request = data as RenderInvoicePdf;
    try {
      return { done: await renderInvoicePdf(services, renderer, request) };
    } catch (error) {
      const { companyId } = request;
      services.log.warn({ err: error, jobId: id, companyId, attempt: starts }, 'a render failed');
      if (error instanceof RenderCutOff) await services.renderTurns.recordCutOff(companyId);
      if (starts >= attemptsAfter(error)) return { failed: new Error(String(error)) };
      return { delayMs: backoff(retryPolicies.pdf, starts) };
    }
  };
}

function attemptsAfter(error: unknown): number {
  if (error instanceof RenderCutOff) return attemptsOfCutOffRender;
  return error instanceof AppError && error.retryable ? retryPolicies.pdf.attempts : 1;
}

/**
 * Renders an invoice as it is now and stores it under the key of what was rendered. Returns that key: it may be newer than the
 * requested one, and may have been stored by a run just before. Pure, so it has no row and may run any number of times.
 */
async function renderInvoicePdf(
  services: Services,
  renderer: PdfRenderer,
  { companyId, invoiceId, asSent }: RenderInvoicePdf,
): Promise<string> {
  const { sql, files } = services;
  const { document, key } = await loadInvoiceDocument(sql, companyId, invoiceId, { asSent });
  const stored = pdfFileKey(companyId, key);
  if ((await files.get(stored)) !== null) return key;
  const logo = document.logoKey === null ? null : await printableLogo(services, companyId, document.logoKey);
  await files.put(stored, await renderer.render(document, logo));
  return key;
}
