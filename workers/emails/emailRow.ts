import { checkSendable, lockEmail, moveEmail, toEmailError } from '../../shared/emails';
import { findLocked, lockInvoice, markSent } from '../../shared/invoices';
import { type LoadedDocument } from '../../shared/invoiceDocuments';
import { fromSqlTime, type UnitOfWork } from '../../shared/engine/db';
import { DeliveryUncertain, NotFound } from '../../shared/engine/errors';
import { Snooze } from '../jobs/JobRun';

/** Which e-mail, of which invoice. */
export interface EmailOfInvoice {
  invoiceId: number;
  emailId: number;
}

/** The sender and the recipient of a message, and its id. */
export interface Envelope {
  messageId: string;
  sender: string;
  senderName: string;
  recipient: string;
  recipientName: string;
}

/**
 * Checks again, under a lock, what may have changed since the request, and records that the attempt begins. Returns the provider's
 * id of the message instead, or its Message-ID, if the provider has reported meanwhile that it was accepted by an earlier attempt.
 * @throws {DeliveryUncertain} when an attempt before has not ended; {@link Snooze} when the invoice is no longer as loaded.
 */
export async function beginSending(
  uow: UnitOfWork,
  { invoiceId, emailId }: EmailOfInvoice,
  loaded: LoadedDocument,
): Promise<Envelope | string> {
  const invoice = await lockInvoice(uow, invoiceId);
  if (invoice.updatedAt.getTime() !== fromSqlTime(loaded.invoice.updatedAt).getTime()) throw new Snooze(uow.now);
  const parties = await checkSendable(uow, invoice);
  const email = await lockEmail(uow, emailId);
  if (email === null) throw new NotFound('e-mail');
  if (email.sentAt !== null) return email.providerMessageId ?? email.messageId;
  if (email.status === 'sending') throw interrupted();
  const { recipient } = parties;
  const changes = { recipient, attemptedAt: uow.now, error: null };
  await moveEmail(uow, { emailId, invoiceId, recipient }, 'sending', changes);
  return { ...parties, messageId: email.messageId };
}

/** Returns the status to `queued`: the attempt that began at this time has certainly sent nothing. Other attempts are left alone. */
export async function releaseEmail(uow: UnitOfWork, email: EmailOfInvoice, attemptedAt: Date): Promise<void> {
  await moveEmail(uow, { ...email, recipient: 'nobody is told' }, 'queued', {}, { status: 'sending', attemptedAt });
}

/** A message that the provider has accepted. */
export interface AcceptedMessage {
  recipient: string;
  providerMessageId: string;
}

/** Records that the provider has accepted the message, whatever became of the invoice meanwhile. A draft becomes `sent`. */
export async function recordSent(
  uow: UnitOfWork,
  { invoiceId, emailId }: EmailOfInvoice,
  { parties }: LoadedDocument,
  { recipient, providerMessageId }: AcceptedMessage,
): Promise<void> {
  const invoice = await findLocked(uow, invoiceId);
  const changes = { providerMessageId, sentAt: uow.now };
  const isRecorded = await moveEmail(uow, { emailId, invoiceId, recipient }, 'sent', changes, { status: 'sending' });
  // A report of the provider was first, and may have said more.
  if (!isRecorded) await recordProviderId(uow, emailId, providerMessageId);
  if (invoice !== null && !invoice.softDelete) await markSent(uow, invoice, { sentParties: parties });
}

async function recordProviderId({ sql, companyId }: UnitOfWork, emailId: number, id: string): Promise<void> {
  await sql.run('UPDATE emails SET providerMessageId = ? WHERE companyId = ? AND id = ?', [id, companyId, emailId]);
}

/**
 * Records that the job of the e-mail ends with this error. Returns the error that it ends with: an attempt that was interrupted
 * after it began leaves the delivery uncertain.
 */
export async function recordUnsent(
  uow: UnitOfWork,
  { invoiceId, emailId }: EmailOfInvoice,
  error: unknown,
): Promise<unknown> {
  const email = await lockEmail(uow, emailId);
  // What the provider has reported stays.
  if (email === null || email.sentAt !== null) return error;
  const known = email.status === 'sending' && !(error instanceof DeliveryUncertain) ? interrupted(error) : error;
  const status = known instanceof DeliveryUncertain ? 'uncertain' : 'failed';
  await moveEmail(uow, { emailId, invoiceId, recipient: email.recipient }, status, { error: toEmailError(known) });
  return known;
}

const interrupted = (cause?: unknown): DeliveryUncertain =>
  new DeliveryUncertain('an attempt was interrupted after the message may have been handed over', cause);
