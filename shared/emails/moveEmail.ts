import { toSqlTime, type UnitOfWork } from '../engine/db';
import { happened, type Happening, recordAll } from '../engine/events';
import { emailEvents } from './events';
import { recordCreditNoteSent } from './creditNoteSent';
import type { EmailState } from './reportRules';
import { recordReminderSent } from './reminderOf';
import type { EmailKind, EmailStatus } from './statuses';

/** The e-mail that moves. */
export interface MovingEmail {
  emailId: number;
  invoiceId: number;
  recipient: string;
  kind?: EmailKind;
}

/** What a move changes beside the status. */
export interface EmailChanges extends Partial<Omit<EmailState, 'status'>> {
  recipient?: string;
  providerMessageId?: string | null;
  attemptedAt?: Date;
}

type EventOf = (email: MovingEmail, changes: EmailChanges) => Happening;

const toldOf =
  (type: typeof emailEvents.delivered): EventOf =>
  ({ invoiceId, emailId, recipient }) =>
    happened(type, invoiceId, { emailId, to: recipient });

const toldWhy =
  (type: typeof emailEvents.failed, fallback: string): EventOf =>
  ({ invoiceId, emailId, recipient }, { error }) =>
    happened(type, invoiceId, {
      ...{ emailId, to: recipient },
      error: error ?? { code: fallback, message: 'no reason was given' },
    });

/** The event of each status that an e-mail enters; null for those that nobody is told of. */
const eventOf: Readonly<Record<EmailStatus, EventOf | null>> = {
  queued: null,
  sending: null,
  sent: ({ invoiceId, emailId, recipient }, { providerMessageId = null }) =>
    happened(emailEvents.sent, invoiceId, { emailId, to: recipient, providerMessageId }),
  delivered: toldOf(emailEvents.delivered),
  complained: toldOf(emailEvents.complained),
  bounced: toldWhy(emailEvents.bounced, 'bounced'),
  failed: toldWhy(emailEvents.failed, 'failed'),
  uncertain: toldWhy(emailEvents.uncertain, 'uncertain'),
};

/**
 * Gives an e-mail the status and records the event of it: nothing else writes the status. With `only`, an e-mail that has another
 * status, or is on another attempt, is left alone. Returns whether it was changed.
 * @param happenings the events, where it enters several statuses at once, or none
 */
export async function moveEmail(
  uow: UnitOfWork,
  email: MovingEmail,
  status: EmailStatus,
  changes: EmailChanges = {},
  only: { status?: EmailStatus; attemptedAt?: Date } = {},
  happenings: readonly Happening[] = told(email, status, changes),
): Promise<boolean> {
  const { error, ...columns } = changes;
  const set = {
    status,
    ...columns,
    ...(error !== undefined && { errorCode: error?.code ?? null, errorMessage: error?.message ?? null }),
    updatedAt: uow.now,
  };
  const where = { companyId: uow.companyId, id: email.emailId, ...only };
  const value = (given: Date | string | number | null): string | number | null =>
    given instanceof Date ? toSqlTime(given) : given;
  const { affectedRows } = await uow.sql.run(
    `UPDATE emails SET ${Object.keys(set)
      .map((name) => `${name} = ?`)
      .join(', ')}
      WHERE ${Object.keys(where)
        .map((name) => `${name} = ?`)
        .join(' AND ')}`,
    [...Object.values(set), ...Object.values(where)].map(value),
  );
  if (affectedRows > 0) {
    recordAll(uow, happenings);
    const isSent = happenings.some(({ type }) => type === emailEvents.sent.type);
    if (isSent && email.kind === 'reminder') await recordReminderSent(uow, email);
    if (isSent && email.kind === 'credit_note') await recordCreditNoteSent(uow, email);
  }
  return affectedRows > 0;
}

/** Returns the event of a status that an e-mail enters, if there is one. */
export function told(email: MovingEmail, status: EmailStatus, changes: EmailChanges = {}): Happening[] {
  const event = eventOf[status];
  return event === null ? [] : [event(email, changes)];
}
