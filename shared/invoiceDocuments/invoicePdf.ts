import { Readable } from 'node:stream';
import { renderQueueNames } from '../../config/queues';
import { NotFound, PdfOfOtherVersion, RenderFailed } from '../engine/errors';
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

/** Runs `wait` while others have the slot of the caller. `left` is aborted when nobody waits for the caller any more. */
type Aside = Turn['aside'];

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
  open: (aside: Aside, first?: number) => Promise<RenderedPdf<OpenFile>>;
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
    open: (aside, first) => openPdf(services, request, aside, first),
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
  const open: Pdf['open'] = async (aside, first) => {
    const rendered = await openPdf(services, request, aside, first);
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
  aside: Aside,
  first: number | undefined,
): Promise<RenderedPdf<OpenFile>> {
  const isPaused = await services.pauses.has('pdf');
  const rendered = await renderedPdf(services, request, {
    read: (key) => services.files.open(key, first),
    waitMs: () => (isPaused ? 0 : services.config.jobWaitMs),
    aside,
  });
  if (rendered !== null) return rendered;
  await leaveQueue(services, request);
  throw new RenderFailed(isPaused ? 'PDFs are not rendered for now' : 'the PDF was not rendered in time');
}

/** Removes a render from the queue that no request waits for any more, so that it does not delay the others. */
async function leaveQueue({ queues, waitedRenders }: Services, request: RenderInvoicePdf): Promise<void> {
  const jobId = renderJobId(request);
  if (waitedRenders.isHeld(request.companyId, jobId)) return;
  // It may have become a long one meanwhile.
  for (const queue of renderQueueNames) await queues.remove(queue, jobId, renderFlow(request));
}

/** A stored rendering and the key of its content. */
export interface RenderedPdf<File> {
  documentKey: string;
  file: File;
}

/** How a caller reads a rendering, and waits for it. */
interface Reader<File> {
  /** Reads a file from the store; null where there is none. */
  read: (fileKey: string) => Promise<File | null>;
  /** Called when this caller counts as one that waits. */
  waitMs: () => number;
  aside: Aside;
}

/**
 * Returns a stored rendering, after a worker has rendered it if need be; null when that takes too long. Concurrent requests share the job, and
 * hold nothing of the file while they wait. If the invoice has changed, the worker renders the newer content and returns its key.
 * @throws {RenderFailed} when the render job failed. {@link Overloaded} when the company waits for too many renders.
 */
export async function renderedPdf<File>(
  services: Services,
  request: RenderInvoicePdf,
  { read, waitMs, aside }: Reader<File>,
): Promise<RenderedPdf<File> | null> {
  const { files, clock, log } = services;
  const { companyId, documentKey } = request;
  const stored = pdfFileKey(companyId, documentKey);
  const cached = await aside(() => read(stored));
  if (cached !== null) {
    files.touch(stored, clock.now()).catch((error: unknown) => log.warn({ err: error }, 'a PDF could not be touched'));
    return { documentKey, file: cached };
  }
  const renderedKey = await aside((left) => waitForRender(services, request, waitMs, left));
  if (renderedKey === null) return null;
  // In the caller's slot: the store has just taken the file, and few of thousands that waited for it hold it at the same time.
  const file = await read(pdfFileKey(companyId, renderedKey));
  return file && { documentKey: renderedKey, file };
}

/**
 * Waits until a worker has rendered the document. Returns the key of what it has rendered; null when that takes too long, or the caller has
 * left and others wait for the same.
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
      if (!waitedRenders.mayLook(companyId, jobId)) return null;
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
