import { Type } from '@sinclair/typebox';
import { padded, placeholders, type UnitOfWork } from '../engine/db';
import { eventType, recordEvent } from '../engine/events';
import { day, line, oneOf, recordId } from '../engine/schemas';
import type { SentEmail } from './SentEmail';

/** Why a reminder is skipped, with the sentence about it. */
export const skipReasons = {
  nothing_due: 'nothing is due',
  payment_processing: 'a payment is on its way',
  invoice_not_open: 'the invoice is no longer open',
  due_date_moved: 'the due date was moved',
  later_reminder: 'a later reminder was requested meanwhile',
  reminders_off: 'the client gets no reminders',
  client_without_email: 'the client has no e-mail address',
  address_bounced: 'an e-mail to this address bounced',
  sender_not_found: 'the company has no name or no e-mail address',
} as const;

export type SkipReason = keyof typeof skipReasons;

/** A reminder of an invoice that is due on `dueDate`; `relativeDay` -3 is three days before. */
export interface Reminder {
  dueDate: string;
  relativeDay: number;
}

const reminder = {
  dueDate: day,
  relativeDay: Type.Integer({ description: 'Days after the due date; below 0: before.' }),
};
const reason = oneOf('ReminderSkipReason', Object.keys(skipReasons) as SkipReason[]);

const reminderFor = (dueDate: string | undefined): string =>
  dueDate === undefined ? 'A reminder' : `Reminder for the due date ${dueDate}`;

/** What happens to the reminders of an invoice, which is the subject. */
export const reminderEvents = {
  sent: eventType('reminder.sent', Type.Object({ emailId: recordId, to: line(254), ...reminder }), {
    meaning: 'The mail provider has accepted a reminder.',
    subject: 'invoice',
    summary: ({ to, dueDate }) => `${reminderFor(dueDate)} was sent to ${to ?? 'the client'}`,
  }),
  skipped: eventType('reminder.skipped', Type.Object({ ...reminder, reason, message: line(255) }), {
    meaning: 'A reminder was due and is not sent; `reason` and `message` say why.',
    subject: 'invoice',
    summary: ({ dueDate, message }) =>
      `${reminderFor(dueDate)} was skipped${message === undefined ? '' : `: ${message}`}`,
  }),
};

/** Records that a reminder is not sent, and why. */
export function recordReminderSkipped(
  uow: UnitOfWork,
  invoiceId: number,
  { dueDate, relativeDay }: Reminder,
  reason: SkipReason,
): void {
  const data = { dueDate, relativeDay, reason, message: skipReasons[reason] };
  recordEvent(uow, reminderEvents.skipped, invoiceId, data);
}

/** A reminder that was requested, and whether a later one was for the same due date. */
export interface RequestedReminder {
  reminder: Reminder;
  hasLater: boolean;
}

/** Returns the reminders that e-mails are, by the id of the e-mail. */
export async function remindersOf(
  { sql, companyId }: UnitOfWork,
  emailIds: readonly number[],
): Promise<Map<number, RequestedReminder>> {
  if (emailIds.length === 0) return new Map();
  const ids = padded(emailIds);
  const rows = await sql.rows<Reminder & { emailId: number; hasLater: 0 | 1 }>(
    `SELECT emailId, dueDate, relativeDay, EXISTS (SELECT 1 FROM reminders later
        WHERE later.companyId = r.companyId AND later.invoiceId = r.invoiceId AND later.dueDate = r.dueDate
          AND later.relativeDay > r.relativeDay AND later.emailId IS NOT NULL) AS hasLater
      FROM reminders r WHERE companyId = ? AND emailId IN (${placeholders(ids.length)})`,
    [companyId, ...ids],
  );
  return new Map(
    rows.map(({ emailId, hasLater, ...reminder }) => [emailId, { reminder, hasLater: hasLater === 1 }] as const),
  );
}

/** Records that reminders of one company were accepted by the mail provider. */
export async function recordRemindersSent(sent: readonly SentEmail[]): Promise<void> {
  const [first] = sent;
  if (first === undefined) return;
  const ids = sent.map(({ email }) => email.emailId);
  const reminders = await remindersOf(first.uow, ids);
  for (const { uow, email } of sent) {
    const { emailId, invoiceId, recipient: to } = email;
    const found = reminders.get(emailId);
    if (found !== undefined) recordEvent(uow, reminderEvents.sent, invoiceId, { emailId, to, ...found.reminder });
  }
}
