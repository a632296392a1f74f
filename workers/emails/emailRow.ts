import {
  addressesOf,
  checkEmailable,
  clientAddress,
  type EmailKind,
  lockEmail,
  lockEmailOfInvoice,
  moveEmail,
  recordReminderSkipped,
  type Reminder,
  reminderOf,
  senderOf,
  type SkipReason,
  skipReasons,
  toEmailError,
} from '../../shared/emails';
import { reminderObstacles } from '../../shared/reminders';
import { findLocked, markSent } from '../../shared/invoices';
import { type LoadedDocument } from '../../shared/invoiceDocuments';
import type { UnitOfWork } from '../../shared/engine/db';
import { Conflict, DeliveryUncertain, EmailRefused, NotFound } from '../../shared/engine/errors';
import type { Mailbox } from '../mail';
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
  /** The recipient as events show it. */
  recipient: string;
  to: Mailbox[];
  cc: string[];
  /** The sender's text above the summary. */
  message: string | null;
  kind: EmailKind;
  /** The reminder, if the message is one, else null. */
  reminder: Reminder | null;
  /** Of the invoice's page; null until it is first used. */
  pageToken: string | null;
}

/**
 * Checks again, under a lock, for changes since the request, and records that the attempt begins. Returns the provider's id of the message
 * instead, or its Message-ID, if the provider has reported meanwhile that it was accepted by an earlier attempt.
 * @throws {DeliveryUncertain} when an attempt before has not ended; {@link Snooze} when the invoice is no longer as loaded.
 */
export async function beginSending(
  uow: UnitOfWork,
  { invoiceId, emailId }: EmailOfInvoice,
  loaded: LoadedDocument,
): Promise<Envelope | string> {
  const email = await lockEmailOfInvoice(uow, { invoiceId, emailId });
  // Unchanged, so the loaded data are current.
  const { invoice, current } = loaded;
  if (email.invoiceUpdatedAt !== invoice.updatedAt) throw new Snooze(uow.now);
  const { messageId, kind, givenTo, message, pageToken } = email;
  if (email.sentAt !== null) return email.providerMessageId ?? messageId;
  if (email.status === 'sending') throw interrupted();
  const reminder = kind === 'reminder' ? await reminderStillDue(uow, invoice, emailId) : null;
  if (kind !== 'credit_note') checkEmailable(invoice.status);
  const { sender, senderName } = senderOf(current);
  const { clientEmail: client, clientName: recipientName } = current;
  const recipient = givenTo ?? clientAddress(client);
  const changes = { ...(givenTo === null && { recipient }), attemptedAt: uow.now, error: null };
  await moveEmail(uow, { emailId, invoiceId, recipient }, 'sending', changes);
  const cc = addressesOf(email.cc).filter((address) => address.toLowerCase() !== recipient.toLowerCase());
  const to = addressesOf(recipient).map((address) => ({ address, name: address === client ? recipientName : '' }));
  return { messageId, sender, senderName, recipient, to, cc, message, kind, reminder, pageToken };
}

/**
 * Returns the reminder that an e-mail is.
 * @throws {ReminderNotDue} when the invoice was paid or changed since the reminder was requested, or a later one was: after an outage
 * of the mail server only the latest goes out.
 */
async function reminderStillDue(
  uow: UnitOfWork,
  invoice: { id: number; dueDate: string },
  emailId: number,
): Promise<Reminder> {
  const found = await reminderOf(uow, emailId);
  if (found === null) throw new NotFound('reminder');
  const { reminder, hasLater } = found;
  const isMoved = invoice.dueDate !== reminder.dueDate;
  const superseded = isMoved ? 'due_date_moved' : hasLater ? 'later_reminder' : undefined;
  const reason = superseded ?? (await reminderObstacles(uow, [invoice.id])).get(invoice.id);
  if (reason !== undefined) throw new ReminderNotDue(reminder, reason);
  return reminder;
}

/** A reminder that need not be sent any more. */
class ReminderNotDue extends Conflict {
  constructor(
    readonly reminder: Reminder,
    readonly reason: SkipReason,
  ) {
    super('reminder_not_due', `the reminder is not sent: ${skipReasons[reason]}`);
  }
}

/** Returns the status to `queued`: the attempt that began at this time has certainly sent nothing. Other attempts are not changed. */
export async function releaseEmail(uow: UnitOfWork, email: EmailOfInvoice, attemptedAt: Date): Promise<void> {
  await moveEmail(uow, { ...email, recipient: 'nobody is told' }, 'queued', {}, { status: 'sending', attemptedAt });
}

/** A message that the provider has accepted. */
export interface AcceptedMessage {
  recipient: string;
  providerMessageId: string;
  /** Why it does not go to some of its recipients. */
  refused?: string;
  kind: EmailKind;
}

/** Records that the provider has accepted the message, also for an invoice that was changed meanwhile. A draft becomes `sent`. */
export async function recordSent(
  uow: UnitOfWork,
  { invoiceId, emailId }: EmailOfInvoice,
  { parties }: LoadedDocument,
  { recipient, providerMessageId, kind, refused }: AcceptedMessage,
): Promise<void> {
  const invoice = await findLocked(uow, invoiceId);
  const error = refused === undefined ? null : toEmailError(new EmailRefused(refused));
  const changes = { providerMessageId, sentAt: uow.now, error };
  const isRecorded = await moveEmail(uow, { emailId, invoiceId, recipient, kind }, 'sent', changes, {
    status: 'sending',
  });
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
  // The provider's report stays.
  if (email === null || email.sentAt !== null) return error;
  const known = email.status === 'sending' && !(error instanceof DeliveryUncertain) ? interrupted(error) : error;
  const status = known instanceof DeliveryUncertain ? 'uncertain' : 'failed';
  await moveEmail(uow, { emailId, invoiceId, recipient: email.recipient }, status, { error: toEmailError(known) });
  if (known instanceof ReminderNotDue) recordReminderSkipped(uow, invoiceId, known.reminder, known.reason);
  return known;
}

const interrupted = (cause?: unknown): DeliveryUncertain =>
  new DeliveryUncertain('an attempt was interrupted after the message may have been handed over', cause);
