import { NotFound, RenderFailed } from '../../errors';
import type { OpenFile } from '../../files/FileStore';
import { renderJobId, renderQueue, type RenderInvoicePdf } from '../../jobs/renderInvoicePdf';
import { waitFor } from '../../queues/waitFor';
import type { Services } from '../../services';
import { documentVersion, loadInvoiceDocument } from './loadInvoiceDocument';

/** Where a rendering is stored. */
export const pdfFileKey = (companyId: number, documentKey: string): string => `pdf/${companyId}/${documentKey}.pdf`;

/**
 * The invoice's number, and what opens its PDF: from the store or rendered by a worker, once `turn` has resolved; an unchanged
 * invoice is rendered once.
 * @throws {NotFound}; `open` {@link RenderFailed} or {@link ServiceUnavailable} (503) when it is not stored and no worker
 * renders it.
 */
export async function invoicePdf(
  services: Services,
  companyId: number,
  invoiceId: number,
  turn: () => Promise<void>,
): Promise<{ invoiceNumber: string; open: () => Promise<OpenFile> }> {
  const current = await documentVersion(services.sql, companyId, invoiceId);
  if (current === null) throw new NotFound('invoice');
  const { invoiceNumber, version } = current;
  let rendering = services.renderings.get(version);
  if (rendering === undefined) {
    const { key: documentKey, isLong } = await loadInvoiceDocument(services.sql, companyId, invoiceId);
    services.renderings.set(version, (rendering = { documentKey, isLong }));
  }
  const request = { companyId, invoiceId, ...rendering, asSent: false };
  const open = async () => {
    const read = (key: string): Promise<OpenFile | null> => services.files.open(key);
    const rendered = await renderedPdf(services, request, services.config.jobWaitMs, read, turn);
    if (rendered !== null) return rendered.file;
    await leaveQueue(services, request);
    throw new RenderFailed('the PDF was not rendered in time');
  };
  return { invoiceNumber, open };
}

/** Without this, renders that no request waits for any more would hold up the ones that are waited for. */
async function leaveQueue({ queues, renderTurns }: Services, request: RenderInvoicePdf): Promise<void> {
  const jobId = renderJobId(request);
  if (!renderTurns.isHeld(request.companyId, jobId)) await queues.remove(renderQueue(request), jobId);
}

/** A stored rendering and the key of what it shows. */
export interface RenderedPdf<File> {
  documentKey: string;
  file: File;
}

/**
 * One rendering, from the store or from a worker, as `read` reads it from the store; null if none is there after `waitMs`.
 * Concurrent requests share the job. What a worker has rendered may be newer than what was asked for: its key says so.
 * @throws {RenderFailed} when the worker gave up; {@link Overloaded} when the company waits for too many.
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
 * Queues a render, also when it was queued before: that changes nothing, but a flushed Redis has forgotten it. Moves it
 * forward or back where its company's turn has changed. Returns its priority.
 */
async function queueRender(
  { queues, renderTurns }: Services,
  request: RenderInvoicePdf,
  jobId: string,
  before: number | undefined,
): Promise<number> {
  const priority = await renderTurns.priorityOf(request.companyId, jobId);
  const queue = renderQueue(request);
  await queues.add({ name: 'renderInvoicePdf', queue, jobId, data: request, priority });
  if (before !== undefined && before !== priority) await queues.changePriority(queue, jobId, priority);
  return priority;
}
