import { NotFound, RenderFailed } from '../kernel/errors';
import type { OpenFile } from '../kernel/files/FileStore';
import { renderJobId, renderQueue, type RenderInvoicePdf } from './renderInvoicePdf';
import { traceparent } from '../kernel/trace';
import { waitFor } from '../kernel/queues/waitFor';
import type { Services } from '../kernel/services';
import type { Scope } from '../kernel/database/unitOfWork';
import { documentVersion, loadInvoiceDocument } from './loadInvoiceDocument';

/** Returns the key under which a rendering is stored. */
export const pdfFileKey = (companyId: number, documentKey: string): string => `pdf/${companyId}/${documentKey}.pdf`;

/** The PDF of an invoice, not opened yet. */
export interface InvoicePdf {
  invoiceNumber: string;
  /** The key of the document's current content. */
  documentKey: string;
  /**
   * Opens the PDF from the store, or has a worker render it. If the invoice changes meanwhile, the PDF shows the new content under
   * another key.
   * @throws {RenderFailed} or {@link ServiceUnavailable} (503) when it is not stored and no worker renders it.
   */
  open: () => Promise<RenderedPdf<OpenFile>>;
}

/**
 * Returns the PDF of an invoice, not yet rendered. `open` renders it after `turn` has resolved. An unchanged invoice is not
 * rendered again.
 * @throws {NotFound}
 */
export async function invoicePdf(
  services: Services,
  { companyId, requestId = null }: Pick<Scope, 'companyId' | 'requestId'>,
  invoiceId: number,
  turn: () => Promise<void>,
): Promise<InvoicePdf> {
  const current = await documentVersion(services.sql, companyId, invoiceId);
  if (current === null) throw new NotFound('invoice');
  const { invoiceNumber, version } = current;
  let rendering = services.renderings.get(version);
  if (rendering === undefined) {
    const { key: documentKey, isLong } = await loadInvoiceDocument(services.sql, companyId, invoiceId);
    services.renderings.set(version, (rendering = { documentKey, isLong }));
  }
  const request = { companyId, invoiceId, ...rendering, asSent: false, requestId };
  const open = async () => {
    const read = (key: string): Promise<OpenFile | null> => services.files.open(key);
    const isPaused = await services.pauses.has('pdf');
    const rendered = await renderedPdf(services, request, isPaused ? 0 : services.config.jobWaitMs, read, turn);
    if (rendered !== null) return rendered;
    await leaveQueue(services, request);
    throw new RenderFailed(isPaused ? 'PDFs are not rendered for now' : 'the PDF was not rendered in time');
  };
  return { invoiceNumber, documentKey: rendering.documentKey, open };
}

/** Removes a render from the queue that no request waits for any more, so that it does not delay the others. */
async function leaveQueue({ queues, renderTurns }: Services, request: RenderInvoicePdf): Promise<void> {
  const jobId = renderJobId(request);
  if (!renderTurns.isHeld(request.companyId, jobId)) await queues.remove(renderQueue(request), jobId);
}

/** A stored rendering and the key of its content. */
export interface RenderedPdf<File> {
  documentKey: string;
  file: File;
}

/**
 * Returns a rendering as `read` reads it from the store, after a worker has rendered it if need be; null after `waitMs`.
 * Concurrent requests share the job. If the invoice has changed, the worker renders the newer content and returns its key.
 * @throws {RenderFailed} when the render job failed. {@link Overloaded} when the company waits for too many renders.
 */
export async function renderedPdf<File>(
  services: Services,
  request: RenderInvoicePdf,
  waitMs: number,
  read: (fileKey: string) => Promise<File | null>,
  turn: () => Promise<void> = () => Promise.resolve(),
): Promise<RenderedPdf<File> | null> {
  const { files, clock, log, renderTurns } = services;
  const { companyId, documentKey } = request;
  const stored = pdfFileKey(companyId, documentKey);
  const cached = await read(stored);
  if (cached !== null) {
    files.touch(stored, clock.now()).catch((error: unknown) => log.warn({ err: error }, 'a PDF could not be touched'));
    return { documentKey, file: cached };
  }
  const jobId = renderJobId(request);
  return renderTurns.hold(companyId, jobId, async () => {
    let priority: number | undefined;
    const deadline = performance.now() + waitMs;
    await turn();
    return waitFor(services.endings, jobId, deadline - performance.now(), async (ending) => {
      if (ending?.failedReason !== undefined) throw new RenderFailed('the PDF could not be rendered');
      const renderedKey = ending?.returnvalue ?? documentKey;
      const file = await read(pdfFileKey(companyId, renderedKey));
      if (file !== null) return { documentKey: renderedKey, file };
      priority = await queueRender(services, request, jobId, priority);
      return null;
    });
  });
}

/**
 * Queues a render and returns its priority. Adding a queued render changes nothing, except after a flush of Redis. Updates
 * the priority where the company's turn has changed.
 */
async function queueRender(
  { queues, renderTurns }: Services,
  request: RenderInvoicePdf,
  jobId: string,
  before: number | undefined,
): Promise<number> {
  const priority = await renderTurns.priorityOf(request.companyId, jobId);
  const queue = renderQueue(request);
  await queues.add({
    name: 'renderInvoicePdf',
    queue,
    jobId,
    data: { ...request, traceparent: traceparent() },
    priority,
  });
  if (before !== undefined && before !== priority) await queues.changePriority(queue, jobId, priority);
  return priority;
}
