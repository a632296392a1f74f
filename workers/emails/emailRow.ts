import {
  addressesOf,
  checkEmailable,
  clientAddress,
  type EmailKind,
  lockEmail,
  lockEmailsOfInvoices,
  type EmailMove,
  moveEmail,
  moveEmails,
  recordReminderSkipped,
  type Reminder,
  remindersOf,
  senderOf,
  type SendInvoiceEmailResult,
  type SkipReason,
  skipReasons,
  toEmailError,
} from '../../shared/emails';
import { tokensOfPages } from '../../shared/hostedPages';
import { reminderObstacles } from '../../shared/reminders';
import { findAllLocked, markSent } from '../../shared/invoices';
import { type LoadedDocument } from '../../shared/invoiceDocuments';
import type { UnitOfWork } from '../../shared/engine/db';
import { Conflict, DeliveryUncertain, EmailRefused, NotFound } from '../../shared/engine/errors';
import type { AcceptedByProvider, Mailbox } from '../mail';
import { type Part, Snooze, type Stage, transactionOf } from '../jobs/JobRun';

/** Which e-mail, of which invoice. */
export interface EmailOfInvoice {
  invoiceId: number;
  emailId: number;
}

/** The sender and the recipient of a message, and its id. */
export interface Envelope {
  messageId: string;
  sender: string;
  /** The recipient as events show it. */
  recipient: string;
  to: Mailbox[];
  cc: string[];
  /** The sender's text above the summary. */
  message: string | null;
  kind: EmailKind;
  /** The reminder, if the message is one, else null. */
  reminder: Reminder | null;
  /** Of the invoice's page; null where it is not known and the message has no link. */
  pageToken: string | null;
}

/** An attempt to send an e-mail. */
export interface Attempt {
  email: EmailOfInvoice;
  /** The document that the message brings. */
  loaded: LoadedDocument;
  /** When it began, which tells it from other attempts; null until it may have been recorded. Set by {@link beginSending}. */
  attemptedAt: Date | null;
  /** Whether the message links to the invoice's page, which is made on first use. */
  hasLink: boolean;
}

type LockedEmail = ReturnType<Awaited<ReturnType<typeof lockEmailsOfInvoices>>>;

/**
 * Checks again, under a lock, for changes since the request, and records that the attempt begins. Returns the provider's id of the message
 * instead, or its Message-ID, if the provider has reported meanwhile that it was accepted by an earlier attempt.
 * @throws {DeliveryUncertain} when an attempt before has not ended; {@link Snooze} when the invoice is no longer as loaded.
 */
export const beginSending: Stage<Attempt, Envelope | string> = async (parts, skipLocked) => {
  const uow = transactionOf(parts);
  const orNull = <T>(check: () => T): T | null => {
    try {
      return check();
    } catch (error) {
      // Done alone, the attempt meets it again.
      if (skipLocked) return null;
      throw error;
    }
  };
  const attempts = parts.map(({ given }) => given);
  const lockedOf = await lockEmailsOfInvoices(
    uow,
    attempts.map(({ email }) => email),
    skipLocked,
  );
  const locked = attempts.map(({ email }) => orNull(() => lockedOf(email.emailId)));
  const checkReminder = await reminderChecks(
    uow,
    locked.flatMap((email) => (email?.kind === 'reminder' ? [email] : [])),
  );
  const begun = attempts.map((attempt, index) => {
    const email = locked[index] ?? null;
    return email && orNull(() => envelopeOf(uow, attempt.loaded, email, checkReminder));
  });
  const sending = parts.flatMap(({ uow, given }, index) => {
    const [email, envelope] = [locked[index] ?? null, begun[index] ?? null];
    return email === null || envelope === null || typeof envelope === 'string' ? [] : [{ uow, given, email, envelope }];
  });
  await moveEmails(
    sending.map(({ uow, given, email: { givenTo }, envelope: { recipient } }) => {
      given.attemptedAt = uow.now;
      const changes = { ...(givenTo === null && { recipient }), attemptedAt: uow.now, error: null };
      return { uow, email: { ...given.email, recipient }, changes };
    }),
    'sending',
  );
  const unlinked = sending.filter(({ given, envelope }) => given.hasLink && envelope.pageToken === null);
  const tokens = await tokensOfPages(
    uow,
    unlinked.map(({ email }) => email.invoiceId),
  );
  for (const { email, envelope } of unlinked) envelope.pageToken = tokens.get(email.invoiceId) ?? null;
  return begun;
};

/** Returns the envelope of an e-mail that can be sent, or the id of one that was. */
function envelopeOf(
  { now }: UnitOfWork,
  { invoice, current }: LoadedDocument,
  email: LockedEmail,
  checkReminder: ReminderCheck,
): Envelope | string {
  // Unchanged, so the loaded data are current.
  if (email.invoiceUpdatedAt !== invoice.updatedAt) throw new Snooze(now);
  const { messageId, kind, givenTo, message, pageToken } = email;
  if (email.sentAt !== null) return email.providerMessageId ?? messageId;
  if (email.status === 'sending') throw interrupted();
  const reminder = kind === 'reminder' ? checkReminder(email.id, invoice) : null;
  if (kind !== 'credit_note') checkEmailable(invoice.status);
  const sender = senderOf(current);
  const { clientEmail: client, clientName: recipientName } = current;
  const recipient = givenTo ?? clientAddress(client);
  const cc = addressesOf(email.cc).filter((address) => address.toLowerCase() !== recipient.toLowerCase());
  const to = addressesOf(recipient).map((address) => ({ address, name: address === client ? recipientName : '' }));
  return { messageId, sender, recipient, to, cc, message, kind, reminder, pageToken };
}

type ReminderCheck = (emailId: number, invoice: { id: number; dueDate: string }) => Reminder;

/**
 * Returns a function that returns the reminder that an e-mail is.
 * @throws {ReminderNotDue} that function, when the invoice was paid or changed since the reminder was requested, or a later one was: after
 * an outage of the mail server only the latest goes out.
 */
async function reminderChecks(
  uow: UnitOfWork,
  emails: readonly { id: number; invoiceId: number }[],
): Promise<ReminderCheck> {
  const reminders = await remindersOf(
    uow,
    emails.map(({ id }) => id),
  );
  const obstacles = await reminderObstacles(
    uow,
    emails.map(({ invoiceId }) => invoiceId),
  );
  return (emailId, { id, dueDate }) => {
    const found = reminders.get(emailId);
    if (found === undefined) throw new NotFound('reminder');
    const { reminder, hasLater } = found;
    const superseded = dueDate !== reminder.dueDate ? 'due_date_moved' : hasLater ? 'later_reminder' : undefined;
    const reason = superseded ?? obstacles.get(id);
    if (reason !== undefined) throw new ReminderNotDue(reminder, reason);
    return reminder;
  };
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

/**
 * Returns the status to `queued`: the attempt that began at this time has certainly sent nothing. Other attempts are not changed.
 *
 * A `queued` row is written too. A Galera server that takes over from one that was killed may apply the beginning of the attempt later than
 * this. It refuses to change a row that has such a change before it, and the transaction is retried.
 */
export async function releaseEmail(uow: UnitOfWork, email: EmailOfInvoice, attemptedAt: Date): Promise<void> {
  const moving = { ...email, recipient: 'nobody is told' };
  const isReleased = await moveEmail(uow, moving, 'queued', {}, { status: 'sending', attemptedAt });
  if (!isReleased) await moveEmail(uow, moving, 'queued', {}, { status: 'queued' });
}

/** The e-mail of an accepted message, and the document that the message has brought. */
export interface SentDocument {
  email: EmailOfInvoice;
  loaded: LoadedDocument;
  accepted: AcceptedByProvider & { recipient: string; kind: EmailKind };
}

/** Records that the provider has accepted messages, also for an invoice that was changed meanwhile. A draft becomes `sent`. */
export const recordSent: Stage<SentDocument, SendInvoiceEmailResult> = async (parts, skipLocked) => {
  const uow = transactionOf(parts);
  const ids = parts.map(({ given }) => given.email.invoiceId);
  const invoices = await findAllLocked(uow, ids, skipLocked);
  const free = parts.filter(({ given }) => !skipLocked || invoices.has(given.email.invoiceId));
  if (!(await moveEmails(free.map(toSent), 'sent', { status: 'sending' }))) {
    // A report of the provider was first, and may have said more. Each part is then done alone.
    if (skipLocked) throw new Error('an e-mail of the round has another status');
    for (const { given } of free) await recordProviderId(uow, given.email.emailId, given.accepted.providerMessageId);
  }
  for (const { uow, given } of free) {
    const invoice = invoices.get(given.email.invoiceId);
    if (invoice !== undefined && !invoice.softDelete)
      await markSent(uow, invoice, { sentParties: given.loaded.parties });
  }
  return parts.map((part) => (free.includes(part) ? { emailId: part.given.accepted.providerMessageId } : null));
};

function toSent({ uow, given: { email, accepted } }: Part<SentDocument>): EmailMove {
  const { recipient, kind, providerMessageId, refused } = accepted;
  const error = refused === undefined ? null : toEmailError(new EmailRefused(refused));
  return { uow, email: { ...email, recipient, kind }, changes: { providerMessageId, sentAt: uow.now, error } };
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
