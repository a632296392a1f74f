import { contentFileName } from '../../shared/document/contentFileName';
import type { EmailStatus } from '../../shared/database/models/Email';
import { toSqlTime } from '../../shared/database/sql';
import type { UnitOfWork } from '../../shared/database/unitOfWork';
import { DeliveryUncertain, NotFound } from '../../shared/errors';
import { renderInvoiceEmail } from '../../shared/document/invoiceEmail';
import { renderedPdf } from '../../shared/usecases/invoices/invoicePdf';
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
    const rendered = await renderedPdf(services, {
      companyId: run.companyId,
      invoiceId,
      documentKey: loaded.key,
      asSent: true,
    });
    // It was changed while it was rendered: begin again, so that text, attachment and frozen details agree.
    if (rendered.documentKey !== loaded.key) throw new TooEarly(services.clock.now());
    const envelope = await run.perform((uow) => beginSending(uow, run.payload, loaded));
    const { providerMessageId } = await sendOrRelease(run, async () =>
      transport.send(compose(run, loaded, envelope, rendered.bytes), run.signal),
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

const interrupted = (cause?: unknown): DeliveryUncertain =>
  new DeliveryUncertain('an attempt was interrupted after the message may have been handed over', cause);

interface Envelope {
  messageId: string;
  sender: string;
  senderName: string;
  recipient: string;
  recipientName: string;
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

/** An error that says that the message was not sent takes `sending` back, so that the next attempt may send. */
async function sendOrRelease<T>(run: Run, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof DeliveryUncertain)) {
      await run.perform(async (uow) => {
        await setEmailStatus(uow, run.payload.emailId, 'queued');
      });
    }
    throw error;
  }
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
