import { attemptsOfCutOffRender, retryPolicies } from '../../config/queues';
import { printableLogo } from '../../shared/companies';
import { loadInvoiceDocument, pdfFileKey, type RenderInvoicePdf } from '../../shared/invoices';
import { AppError, RenderCutOff } from '../../shared/kernel/errors';
import { withLogFields } from '../../shared/kernel/log';
import type { Services } from '../../shared/kernel/services';
import { traced } from '../../shared/kernel/trace';
import type { PdfRenderer } from '../pdf/PdfRenderer';
import { backoff } from '../pool/backoff';
import type { EntryOutcome, QueueEntry } from '../pool/ServedQueue';

/** Processes entries of the render queues. A render has no row, so BullMQ counts how often it was started. */
export function processRender(services: Services, renderer: PdfRenderer): (entry: QueueEntry) => Promise<EntryOutcome> {
  const process = async (request: RenderInvoicePdf, starts: number): Promise<EntryOutcome> => {
    const { companyId, traceparent = null } = request;
    const attributes = { 'invoicing.company.id': companyId };
    try {
      const done = await traced('run renderInvoicePdf', { kind: 'consumer', parent: traceparent, attributes }, () =>
        renderInvoicePdf(services, renderer, request),
      );
      return { done };
    } catch (error) {
      services.log.warn({ err: error }, 'a render failed');
      if (error instanceof RenderCutOff) await services.renderTurns.recordCutOff(companyId);
      if (starts >= attemptsAfter(error)) return { failed: new Error(String(error)) };
      return { delayMs: backoff(retryPolicies.pdf, starts) };
    }
  };
  return ({ id, data, starts }) => {
    const request = data as RenderInvoicePdf;
    const { companyId, requestId } = request;
    const fields = { jobId: id, companyId, attempt: starts, ...(requestId && { requestId }) };
    return withLogFields(fields, () => process(request, starts));
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
