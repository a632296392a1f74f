import { contentFileName } from '../../shared/document/contentFileName';
import type { EmailStatus } from '../../shared/database/models/Email';
import { toSqlTime } from '../../shared/database/sql';
import type { UnitOfWork } from '../../shared/database/unitOfWork';
import { DeliveryUncertain, NotFound, RenderFailed } from '../../shared/errors';
import { renderInvoiceEmail } from '../../shared/document/invoiceEmail';
import { renderedPdf, type RenderedPdf } from '../../shared/usecases/invoices/invoicePdf';
import { loadInvoiceDocument, type LoadedDocument } from '../../shared/usecases/invoices/loadInvoiceDocument';
import { findLockedState, lockInvoice, lockInvoiceState } from '../../shared/usecases/invoices/lockInvoice';
import { checkSendable } from '../../shared/usecases/invoices/requestInvoiceEmail';
import { setStatus } from '../../shared/usecases/invoices/setStatus';
import { nextUpdatedAt } from '../../shared/usecases/nextUpdatedAt';
import { recordEvent } from '../../shared/usecases/recordEvent';
import type { EmailMessage } from '../email';
import { TooEarly, type Finished, type JobHandler, type JobRun } from '../JobRun';

type Run = JobRun<'sendInvoiceEmail'>;

/**
 * Sends one e-mail once. `sending` is committed before the provider is called: a run that finds it there cannot know what
 * became of the message, so the delivery is uncertain and is not repeated.
 */
export const sendInvoiceEmail: JobHandler<'sendInvoiceEmail'> = {
  async run(run) {
    const { services, email: transport } = run.tools;
    const { invoiceId } = run.payload;
    const loaded = await loadInvoiceDocument(services.sql, run.companyId, invoiceId, { asSent: true });
    const rendered = await attachment(run, loaded);
    // It was changed while it was rendered: begin again, so that text, attachment and frozen details agree.
    if (rendered.documentKey !== loaded.key) throw new TooEarly(services.clock.now());
    const { providerMessageId } = await sendOrRelease(run, loaded, (envelope) =>
      transport.send(compose(run, loaded, envelope, rendered.file), run.signal),
    );
    return recordSent(run, loaded, providerMessageId);
  },

  async failed(uow, { invoiceId, emailId }, error) {
    const email = await findEmail(uow, emailId);
    if (email === null) return error;
    // `sending` was taken back if the message was certainly not sent.
    const known = email.status === 'sending' && !(error instanceof DeliveryUncertain) ? interrupted(error) : error;
    const status = known instanceof DeliveryUncertain ? 'uncertain' : 'failed';
    await setEmailStatus(uow, emailId, status);
    await recordEvent(uow, `email.${status}`, { type: 'invoice', id: invoiceId }, { emailId });
    return known;
  },
};

/** Milliseconds that a run waits for its PDF before it makes room for other e-mails, and then until it asks again. */
const pdfWaitMs = 3_000;
const askAgainMs = 1_000;
/** Runs that wait for PDFs of one company at the same time; further ones make room at once. */
const waitingRuns = 3;
/** A PDF that is not there this long after the request counts as a failed attempt. */
const pdfOverdueMs = 10 * 60_000;

/**
 * The PDF of the invoice.
 * @throws {TooEarly} when it is not rendered yet: a company whose PDFs take long must not hold the places of all e-mails.
 */
async function attachment(run: Run, { key, isLong }: LoadedDocument): Promise<RenderedPdf<Buffer>> {
  const { services } = run.tools;
  const request = {
    companyId: run.companyId,
    invoiceId: run.payload.invoiceId,
    documentKey: key,
    isLong,
    asSent: true,
  };
  const waits = services.renderTurns.waitingOf(run.companyId) < waitingRuns;
  const rendered = await renderedPdf(services, request, waits ? pdfWaitMs : 0, (file) => services.files.get(file));
  if (rendered !== null) return rendered;
  const now = services.clock.now().getTime();
  if (now - run.job.createdAt.getTime() > pdfOverdueMs) throw new RenderFailed('the PDF was not rendered in time');
  throw new TooEarly(new Date(now + askAgainMs));
}

const interrupted = (cause?: unknown): DeliveryUncertain =>
  new DeliveryUncertain('an attempt was interrupted after the message may have been handed over', cause);

interface Envelope {
  messageId: string;
  sender: string;
  senderName: string;
  recipient: string;
  recipientName: string;
}

/**
 * Records that the attempt begins, and sends. If the message was certainly not sent, the status returns to `queued`, so that
 * the next attempt may send.
 */
async function sendOrRelease<T>(
  run: Run,
  loaded: LoadedDocument,
  send: (envelope: Envelope) => Promise<T>,
): Promise<T> {
  let begun: Date | undefined;
  try {
    const envelope = await run.perform((uow) => {
      begun = uow.now;
      return beginSending(uow, run.payload, loaded);
    });
    return await send(envelope);
  } catch (error) {
    const attemptedAt = begun;
    if (attemptedAt !== undefined && !(error instanceof DeliveryUncertain)) {
      await run.record((uow) => release(uow, run.payload.emailId, attemptedAt));
    }
    throw error;
  }
}

/** Checks again, under a lock, what may have changed since the request, and records that the attempt begins. */
async function beginSending(
  uow: UnitOfWork,
  { invoiceId, emailId }: Run['payload'],
  loaded: LoadedDocument,
): Promise<Envelope> {
  const invoice = await lockInvoiceState(uow, invoiceId);
  // It was changed after it was loaded: begin again with what it is now.
  if (invoice.updatedAt !== loaded.invoice.updatedAt) throw new TooEarly(uow.now);
  const parties = await checkSendable(uow, invoice);
  const email = await lockEmail(uow, emailId);
  if (email.status === 'sending') throw interrupted();
  const now = toSqlTime(uow.now);
  await uow.sql.run(
    "UPDATE emails SET status = 'sending', recipient = ?, attemptedAt = ?, updatedAt = ? WHERE companyId = ? AND id = ?",
    [parties.recipient, now, now, uow.companyId, emailId],
  );
  return { ...parties, messageId: email.messageId };
}

/** Ends only the attempt that began at this time. Another one's outcome is not known here. */
async function release(uow: UnitOfWork, emailId: number, attemptedAt: Date): Promise<void> {
  await uow.sql.run(
    `UPDATE emails SET status = 'queued', updatedAt = ?
      WHERE companyId = ? AND id = ? AND status = 'sending' AND attemptedAt = ?`,
    [toSqlTime(uow.now), uow.companyId, emailId, toSqlTime(attemptedAt)],
  );
}

/** The provider has accepted: the e-mail is sent whatever became of the invoice meanwhile; only a draft changes. */
function recordSent(run: Run, { parties }: LoadedDocument, providerMessageId: string): Promise<Finished> {
  const { invoiceId, emailId } = run.payload;
  return run.finish(async (uow) => {
    const state = await findLockedState(uow, invoiceId);
    const now = toSqlTime(uow.now);
    await uow.sql.run(
      `UPDATE emails SET status = 'sent', providerMessageId = ?, sentAt = ?, updatedAt = ?
        WHERE companyId = ? AND id = ?`,
      [providerMessageId, now, now, uow.companyId, emailId],
    );
    await recordEvent(uow, 'email.sent', { type: 'invoice', id: invoiceId }, { emailId, providerMessageId });
    if (state?.status === 'draft' && state.softDelete === 0) await markSent(uow, invoiceId, JSON.stringify(parties));
    return { emailId: providerMessageId };
  });
}

async function markSent(uow: UnitOfWork, invoiceId: number, sentParties: string): Promise<void> {
  const invoice = await lockInvoice(uow, invoiceId);
  invoice.frozenParties = sentParties;
  await setStatus(uow, invoice, 'sent');
  invoice.updatedAt = nextUpdatedAt(uow.now, invoice.updatedAt);
  await invoice.save({ transaction: uow.transaction });
}

async function setEmailStatus(uow: UnitOfWork, emailId: number, status: EmailStatus): Promise<void> {
  const values = [status, toSqlTime(uow.now), uow.companyId, emailId];
  await uow.sql.run('UPDATE emails SET status = ?, updatedAt = ? WHERE companyId = ? AND id = ?', values);
}

interface EmailRow {
  status: EmailStatus;
  messageId: string;
}

async function findEmail({ sql, companyId }: UnitOfWork, id: number): Promise<EmailRow | null> {
  const text = 'SELECT status, messageId FROM emails WHERE companyId = ? AND id = ? FOR UPDATE';
  return (await sql.rows<EmailRow>(text, [companyId, id]))[0] ?? null;
}

async function lockEmail(uow: UnitOfWork, id: number): Promise<EmailRow> {
  const email = await findEmail(uow, id);
  if (email === null) throw new NotFound('e-mail');
  return email;
}

function compose(run: Run, { document, invoice }: LoadedDocument, envelope: Envelope, pdf: Buffer): EmailMessage {
  const { fromAddress } = run.tools.services.config.email;
  return {
    ...renderInvoiceEmail(document),
    messageId: envelope.messageId,
    from: { name: document.sender.name, address: fromAddress || envelope.sender },
    replyTo: fromAddress === '' ? null : envelope.sender,
    to: { name: envelope.recipientName, address: envelope.recipient },
    attachments: [
      {
        filename: contentFileName(`invoice-${invoice.invoiceNumber}.pdf`),
        contentType: 'application/pdf',
        content: pdf,
      },
    ],
    reference: String(run.payload.emailId),
  };
}
