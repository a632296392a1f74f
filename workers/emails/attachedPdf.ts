import { RenderFailed } from '../../shared/kernel/errors';
import { type LoadedDocument, type RenderedPdf, renderedPdf } from '../../shared/invoices';
import { snoozeFor, type JobRun } from '../pool/JobRun';

/** How long a run waits for its PDF before it makes room for other e-mails. */
const WAIT_MS = 3_000;
/** How long a run is deferred whose PDF is not rendered yet. */
const SNOOZE_MS = 1_000;
/** Runs that wait for PDFs of one company at the same time; further ones make room immediately. */
const WAITING_RUNS = 3;
/** A PDF that is not rendered this long after the request counts as a failed attempt. */
const OVERDUE_MS = 10 * 60_000;

/**
 * Returns the PDF of the invoice, with the key of what it shows.
 * @throws {Snooze} when it is not rendered yet: a company whose PDFs take long must not hold the places of all e-mails.
 */
export async function attachedPdf(
  { tools, companyId, requestId, job }: JobRun,
  { invoice, key, isLong }: LoadedDocument,
): Promise<RenderedPdf<Buffer>> {
  const { services } = tools;
  const request = { companyId, invoiceId: invoice.id, documentKey: key, isLong, asSent: true, requestId };
  const waitMs = services.renderTurns.waitingOf(companyId) < WAITING_RUNS ? WAIT_MS : 0;
  const rendered = await renderedPdf(services, request, waitMs, (file) => services.files.get(file));
  if (rendered !== null) return rendered;
  const sinceRequestMs = services.clock.now().getTime() - job.createdAt.getTime();
  if (sinceRequestMs > OVERDUE_MS) throw new RenderFailed('the PDF was not rendered in time');
  throw snoozeFor(SNOOZE_MS, services.clock);
}
