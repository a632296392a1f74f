import { Readable } from 'node:stream';
import { renderQueueNames } from '../../config/queues';
import { NotFound, PdfOfOtherVersion, RenderFailed, RequestAborted } from '../engine/errors';
import type { Turn } from '../engine/fair';
import type { OpenFile } from '../engine/files';
import { renderFlow, renderJobId, renderQueue, type RenderInvoicePdf } from './renderInvoicePdf';
import { traceparent } from '../engine/trace';
import { waitFor } from '../engine/jobs';
import type { Services } from '../services';
import type { WorkContext } from '../engine/db';
import { loadCreditNoteDocument } from './loadCreditNoteDocument';
import { documentVersion, loadInvoiceDocument } from './loadInvoiceDocument';

/** Returns the key under which a rendering is stored. */
export const pdfFileKey = (companyId: number, documentKey: string): string => `pdf/${companyId}/${documentKey}.pdf`;

/** The turn of the request, which gives its slot up while it waits. */
type Waiter = Pick<Turn, 'aside'>;

/** The PDF of an invoice or of a credit note, not opened yet. */
export interface Pdf {
  /** Of the document that is printed. */
  number: string;
  /** The key of the document's current content. */
  documentKey: string;
  /**
   * Opens the PDF from the store, or has a worker render it. If the invoice changes meanwhile, the PDF shows the new content under
   * another key.
   * @throws {RenderFailed} or {@link ServiceUnavailable} (503) when it is not stored and no worker renders it.
   */
  open: (turn: Waiter, first?: number) => Promise<RenderedPdf<OpenFile>>;
}

type Request = Pick<WorkContext, 'companyId' | 'requestId'>;

/**
 * Returns the PDF of an invoice, not yet rendered. An unchanged invoice is not rendered again.
 * @throws {NotFound}
 */
export async function invoicePdf(
  services: Services,
  { companyId, requestId = null }: Request,
  invoiceId: number,
): Promise<Pdf> {
  const current = await documentVersion(services.sql, companyId, invoiceId);
  if (current === null) throw new NotFound('invoice');
  const { invoiceNumber: number, version } = current;
  let rendering = services.renderings.get(version);
  if (rendering === undefined) {
    const { key: documentKey, isLong } = await loadInvoiceDocument(services, companyId, invoiceId);
    services.renderings.set(version, (rendering = { documentKey, isLong }));
  }
  const request = { companyId, invoiceId, ...rendering, asSent: false, requestId };
  return {
    number,
    documentKey: rendering.documentKey,
    open: (turn, first) => openPdf(services, request, turn, first),
  };
}

/**
 * Returns the PDF of a credit note, not yet rendered. It is rendered once.
 * @throws {NotFound}
 */
export async function creditNotePdf(
  services: Services,
  { companyId, requestId = null }: Request,
  creditNoteId: number,
): Promise<Pdf> {
  const {
    invoice,
    document,
    key: documentKey,
    isLong,
  } = await loadCreditNoteDocument(services, companyId, creditNoteId);
  const request = { companyId, invoiceId: invoice.id, creditNoteId, documentKey, isLong, asSent: false, requestId };
  const open: Pdf['open'] = async (turn, first) => {
    const rendered = await openPdf(services, request, turn, first);
    if (rendered.documentKey === documentKey) return rendered;
    // A worker of the version before has printed the invoice.
    const { content } = rendered.file;
    if (content instanceof Readable) content.destroy();
    throw new PdfOfOtherVersion();
  };
  return { number: document.invoiceNumber, documentKey, open };
}

async function openPdf(
  services: Services,
  request: RenderInvoicePdf,
  turn: Waiter,
  first: number | undefined,
): Promise<RenderedPdf<OpenFile>> {
  const read = (fileKey: string): Promise<OpenFile | null> => services.files.open(fileKey, first);
  const stored = await storedPdf(services, request, read);
  if (stored !== null) return stored;
  const isPaused = await services.pauses.has('pdf');
  const deadline = Date.now() + (isPaused ? 0 : services.config.jobWaitMs);
  do {
    const documentKey = await turn.aside((left) =>
      waitInQueue(services, request, Math.max(0, deadline - Date.now()), left),
    );
    if (documentKey === null) break;
    const file = await read(pdfFileKey(request.companyId, documentKey));
    if (file !== null) return { documentKey, file };
    // A network volume may show it later.
  } while (Date.now() < deadline);
  throw new RenderFailed(isPaused ? 'PDFs are not rendered for now' : 'the PDF was not rendered in time');
}

/** {@link waitForRender} of a request, whose render leaves the queue with the last request that waits for it. */
async function waitInQueue(
  services: Services,
  request: RenderInvoicePdf,
  waitMs: number,
  left: AbortSignal,
): Promise<string | null> {
  const renderedKey = await waitForRender(services, request, () => waitMs, left);
  if (renderedKey !== null) return renderedKey;
  await leaveQueue(services, request);
  if (left.aborted) throw new RequestAborted();
  return null;
}

/** Removes a render from the queue that no request waits for any more, so that it does not delay the others. */
async function leaveQueue({ queues, waitedRenders }: Services, request: RenderInvoicePdf): Promise<void> {
  const jobId = renderJobId(request);
  if (waitedRenders.isHeld(request.companyId, jobId)) return;
  // It may have become a long one meanwhile.
  for (const queue of renderQueueNames) await queues.remove(queue, jobId, renderFlow(request));
}

/** Tests whether the render is in a queue (it waits, runs, or was put off), or waits for room there. False without Redis. */
export async function isQueued(services: Services, request: RenderInvoicePdf): Promise<boolean> {
  if (hasManyRenders(services, request)) return true;
  const jobId = renderJobId(request);
  const entries = await Promise.allSettled(renderQueueNames.map((queue) => services.queues.entry(queue, jobId)));
  return entries.some((entry) => entry.status === 'fulfilled' && entry.value !== null);
}

/** A stored rendering and the key of its content. */
export interface RenderedPdf<File> {
  documentKey: string;
  file: File;
}

/** Of callers that stay until their time is over. */
const stays = new AbortController().signal;

/** Tests whether so many renders of the company are queued that its e-mails queue no more: Redis holds those of the next minutes. */
const hasManyRenders = ({ queues }: Services, request: RenderInvoicePdf): boolean =>
  renderQueueNames.some((queue) => queues.isFull(queue, renderFlow(request)));

/**
 * Returns a rendering as `read` reads it from the store, after a worker has rendered it if need be; null after `waitMs`, or when the company
 * {@link hasManyRenders}.
 * @param waitMs called when this caller counts as one that waits, if the rendering is not stored
 * @throws as {@link waitForRender} does.
 */
export async function renderedPdf<File>(
  services: Services,
  request: RenderInvoicePdf,
  waitMs: () => number,
  read: (fileKey: string) => Promise<File | null>,
): Promise<RenderedPdf<File> | null> {
  const stored = await storedPdf(services, request, read);
  if (stored !== null || hasManyRenders(services, request)) return stored;
  const documentKey = await waitForRender(services, request, waitMs, stays);
  const file = documentKey === null ? null : await read(pdfFileKey(request.companyId, documentKey));
  return documentKey === null || file === null ? null : { documentKey, file };
}

/** Reads a rendering that is stored already, and notes that it is used; null if there is none. */
async function storedPdf<File>(
  { files, clock, log }: Services,
  { companyId, documentKey }: RenderInvoicePdf,
  read: (fileKey: string) => Promise<File | null>,
): Promise<RenderedPdf<File> | null> {
  const fileKey = pdfFileKey(companyId, documentKey);
  const file = await read(fileKey);
  if (file === null) return null;
  files.touch(fileKey, clock.now()).catch((error: unknown) => log.warn({ err: error }, 'a PDF could not be touched'));
  return { documentKey, file };
}

/**
 * Waits until a worker has rendered the document. Returns the key of what it has rendered: it is newer if the invoice has changed. Null when
 * that takes too long, or the caller has left and others wait for the same. Concurrent callers share the job, and hold nothing of the file.
 * @throws {RenderFailed} when the render job failed. {@link Overloaded} when the company waits for too many renders.
 */
async function waitForRender(
  services: Services,
  request: RenderInvoicePdf,
  waitMs: () => number,
  left: AbortSignal,
): Promise<string | null> {
  const { files, jobEndHints, waitedRenders } = services;
  const { companyId, documentKey } = request;
  const jobId = renderJobId(request);
  return waitedRenders.hold(companyId, jobId, left, (leave) =>
    waitFor(jobEndHints, jobId, waitMs(), leave, async (ending) => {
      if (ending?.failedReason !== undefined) throw new RenderFailed('the PDF could not be rendered');
      const renderedKey = ending?.returnvalue ?? null;
      if (renderedKey !== null) return renderedKey;
      if (!waitedRenders.mayLook(companyId, jobId, ending)) return null;
      if (!(await files.has(pdfFileKey(companyId, documentKey)))) {
        await queueRender(services, request, jobId);
        return null;
      }
      // The announcement was lost: the other callers do not look for themselves.
      jobEndHints.ended(jobId, { returnvalue: documentKey });
      return documentKey;
    }),
  );
}

/**
 * Queues a render, unless it is queued already. One of a company whose renders took long lately counts as long, also if it waits
 * among the others already: the worker leaves it there.
 */
async function queueRender({ queues, slowRenders }: Services, request: RenderInvoicePdf, jobId: string): Promise<void> {
  const isLong = request.isLong || (await slowRenders.has(request.companyId));
  const data = { ...request, isLong, traceparent: traceparent() };
  await queues.add({ name: 'renderInvoicePdf', queue: renderQueue(data), jobId, data, flow: renderFlow(request) });
}
