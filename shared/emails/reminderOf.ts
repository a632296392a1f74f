import { Type } from '@sinclair/typebox';
import type { UnitOfWork } from '../engine/db';
import { eventType, recordEvent } from '../engine/events';
import { day, line, oneOf, recordId } from '../engine/schemas';

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

/** Returns the reminder that an e-mail is, and whether a later one was requested for the same due date; null for any other e-mail. */
export async function reminderOf(
  { sql, companyId }: UnitOfWork,
  emailId: number,
): Promise<{ reminder: Reminder; hasLater: boolean } | null> {
  const [found] = await sql.rows<Reminder & { hasLater: 0 | 1 }>(
    `SELECT dueDate, relativeDay, EXISTS (SELECT 1 FROM reminders later
        WHERE later.companyId = r.companyId AND later.invoiceId = r.invoiceId AND later.dueDate = r.dueDate
          AND later.relativeDay > r.relativeDay AND later.emailId IS NOT NULL) AS hasLater
      FROM reminders r WHERE companyId = ? AND emailId = ?`,
    [companyId, emailId],
  );
  if (found === undefined) return null;
  const { hasLater, ...reminder } = found;
  return { reminder, hasLater: hasLater === 1 };
}

/** Records that a reminder was accepted by the mail provider. */
export async function recordReminderSent(
  uow: UnitOfWork,
  { emailId, invoiceId, recipient }: { emailId: number; invoiceId: number; recipient: string },
): Promise<void> {
  const found = await reminderOf(uow, emailId);
  if (found !== null) recordEvent(uow, reminderEvents.sent, invoiceId, { emailId, to: recipient, ...found.reminder });
}
