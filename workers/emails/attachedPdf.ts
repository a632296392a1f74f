import { RenderFailed } from '../../shared/engine/errors';
import { isQueued, type LoadedDocument, type RenderedPdf, renderedPdf } from '../../shared/invoiceDocuments';
import { snoozeFor, type JobRun } from '../jobs/JobRun';
import { DEFERRED } from './withinRecipients';

/** How long a run waits for its PDF before it frees its slot for other e-mails. */
const WAIT_MS = 3_000;
/** How long a run is deferred whose PDF is not rendered yet: a part of the time since the request, since each run loads the document. */
const SNOOZE = { part: 1 / 4, leastMs: 1_000, mostMs: 10_000 };
/** The most runs of one company that wait for PDFs at the same time. Further runs are deferred immediately. */
const WAITING_RUNS = 3;
/** How long it is deferred while the operator has paused the rendering. */
const SNOOZE_WHILE_PAUSED_MS = 5_000;
/**
 * A PDF that is not rendered this long after the request, or after a pause, counts as a failed attempt, unless an earlier run has queued it
 * and it is still there. A failed render is removed from the queue.
 */
const OVERDUE_MS = 10 * 60_000;

/**
 * Returns the PDF of the document, with the document's key.
 * @throws {Snooze} when it is not rendered yet: a company with slow PDFs must not hold the slots of all e-mails.
 */
export async function attachedPdf(
  { tools, companyId, requestId, job }: JobRun,
  { invoice, creditNoteId, key, isLong }: LoadedDocument,
): Promise<RenderedPdf<Buffer>> {
  const { services } = tools;
  const document = { invoiceId: invoice.id, creditNoteId, documentKey: key, isLong, asSent: true };
  const request = { companyId, ...document, requestId };
  const isPaused = await services.pauses.has('pdf');
  // Called when this run is among the callers.
  const waitMs = () => (!isPaused && services.waitedRenders.callersOf(companyId) <= WAITING_RUNS ? WAIT_MS : 0);
  const since = Math.max(job.createdAt.getTime(), (await services.pauses.lastPaused('pdf'))?.getTime() ?? 0);
  const waitedMs = services.clock.now().getTime() - since;
  // Since the e-mail was deferred, no run has asked for its PDF.
  const isFirst = job.errorCode === DEFERRED;
  // Asked before this run queues it.
  const isOverdue = !isFirst && waitedMs > OVERDUE_MS && !(await isQueued(services, request));
  const rendered = await renderedPdf(services, request, waitMs, (file) => services.files.get(file));
  if (rendered !== null) return rendered;
  if (isOverdue) throw new RenderFailed('the PDF was not rendered in time');
  const { part, leastMs, mostMs } = SNOOZE;
  const cause = isFirst ? new RenderFailed('the PDF is not rendered yet') : undefined;
  if (!isPaused) throw snoozeFor(Math.min(mostMs, Math.max(leastMs, waitedMs * part)), services.clock, cause);
  throw snoozeFor(
    SNOOZE_WHILE_PAUSED_MS,
    services.clock,
    new RenderFailed('the operator has paused the queue of PDFs'),
  );
}
