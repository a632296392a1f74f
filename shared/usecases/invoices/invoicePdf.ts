import { NotFound, RenderFailed } from '../../errors';
import { renderInvoicePdf, renderJobId, type RenderInvoicePdf } from '../../jobs/renderInvoicePdf';
import { waitFor } from '../../queues/waitFor';
import type { Services } from '../../services';
import { documentVersion, loadInvoiceDocument } from './loadInvoiceDocument';

/** Where a rendering is stored. */
export const pdfFileKey = (companyId: number, documentKey: string): string => `pdf/${companyId}/${documentKey}.pdf`;

/**
 * The invoice's PDF, from the store or rendered by a worker; an unchanged invoice is rendered once.
 * @throws {NotFound}; {@link RenderFailed} or {@link ServiceUnavailable} (503) when it is not stored and no worker renders it.
 */
export async function invoicePdf(
  services: Services,
  companyId: number,
  invoiceId: number,
): Promise<{ invoiceNumber: string; bytes: Buffer }> {
  const current = await documentVersion(services.sql, companyId, invoiceId);
  if (current === null) throw new NotFound('invoice');
  const { invoiceNumber, version } = current;
  let documentKey = services.documentKeys.get(version);
  if (documentKey === undefined) {
    documentKey = (await loadInvoiceDocument(services.sql, companyId, invoiceId)).key;
    services.documentKeys.set(version, documentKey);
  }
  const { bytes } = await renderedPdf(services, { companyId, invoiceId, documentKey, asSent: false });
  return { invoiceNumber, bytes };
}

/** A stored rendering and the key of what it shows. */
export interface RenderedPdf {
  documentKey: string;
  bytes: Buffer;
}

/**
 * One rendering, from the store or from a worker; requests at the same time share the job. What a worker has rendered may
 * be newer than what was asked for: its key says so.
 */
export async function renderedPdf(services: Services, request: RenderInvoicePdf): Promise<RenderedPdf> {
  const { files, clock, log } = services;
  const stored = pdfFileKey(request.companyId, request.documentKey);
  const cached = await files.get(stored);
  if (cached !== null) {
    files.touch(stored, clock.now()).catch((error: unknown) => log.warn({ err: error }, 'a PDF could not be touched'));
    return { documentKey: request.documentKey, bytes: cached };
  }
  const jobId = renderJobId(request);
  const rendered = await waitFor(services.endings, jobId, services.config.jobWaitMs, async (ending) => {
    if (ending?.failedReason !== undefined) throw new RenderFailed('the PDF could not be rendered');
    const documentKey = ending?.returnvalue ?? request.documentKey;
    const bytes = await files.get(pdfFileKey(request.companyId, documentKey));
    if (bytes !== null) return { documentKey, bytes };
    // Also when it was asked for already: that changes nothing, but a flushed Redis has forgotten it.
    await services.queues.add({ ...renderInvoicePdf, jobId, data: request });
    return null;
  });
  if (rendered === null) throw new RenderFailed('the PDF was not rendered in time');
  return rendered;
}
