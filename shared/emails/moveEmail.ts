import { type UnitOfWork, updateRows } from '../engine/db';
import { happened, type Happening, recordAll } from '../engine/events';
import { groupBy } from '../engine/records';
import { emailEvents } from './events';
import { recordCreditNotesSent } from './creditNoteSent';
import type { EmailState } from './reportRules';
import { recordRemindersSent } from './reminderOf';
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

/** One e-mail of several that enter a status. */
export interface EmailMove {
  /** Its events name the origin of this one; all moves are of one transaction. */
  readonly uow: UnitOfWork;
  readonly email: MovingEmail;
  readonly changes?: EmailChanges;
  /** The events, where it enters several statuses at once, or none. */
  readonly happenings?: readonly Happening[];
}

/** The state that an e-mail must be in. */
interface Only {
  status?: EmailStatus;
  attemptedAt?: Date;
}

/**
 * Gives an e-mail the status and records the event of it. With `only`, an e-mail that has another status, or is on another attempt, is
 * left alone. Returns whether it was changed.
 * @param happenings see {@link EmailMove.happenings}
 */
export async function moveEmail(
  uow: UnitOfWork,
  email: MovingEmail,
  status: EmailStatus,
  changes?: EmailChanges,
  only?: Only,
  happenings?: readonly Happening[],
): Promise<boolean> {
  return moveEmails([{ uow, email, ...(changes && { changes }), ...(happenings && { happenings }) }], status, only);
}

/**
 * Gives e-mails of one company the status and records the events of it: nothing else writes the status. Returns whether all were changed.
 * If not, no event is recorded; of several e-mails some may have the status then, and the caller has to roll back.
 */
export async function moveEmails(moves: readonly EmailMove[], status: EmailStatus, only: Only = {}): Promise<boolean> {
  let moved = 0;
  // One statement changes the same columns of all its rows.
  const groups = groupBy(moves, ({ changes = {} }) => Object.keys(changes).join());
  for (const group of groups.values()) {
    const { sql, companyId } = group[0].uow;
    const rows = group.map(({ uow, email, changes = {} }) => {
      const { error, ...columns } = changes;
      const ofError = error !== undefined && { errorCode: error?.code ?? null, errorMessage: error?.message ?? null };
      return { id: email.emailId, only: { ...only }, set: { status, ...columns, ...ofError, updatedAt: uow.now } };
    });
    moved += await updateRows(sql, 'emails', companyId, rows);
  }
  if (moved < moves.length) return false;
  const sent: EmailMove[] = [];
  for (const move of moves) {
    const { uow, email, changes, happenings = told(email, status, changes) } = move;
    recordAll(uow, happenings);
    if (happenings.some(({ type }) => type === emailEvents.sent.type)) sent.push(move);
  }
  await recordRemindersSent(sent.filter(({ email }) => email.kind === 'reminder'));
  await recordCreditNotesSent(sent.filter(({ email }) => email.kind === 'credit_note'));
  return true;
}

/** Returns the event of a status that an e-mail enters, if there is one. */
export function told(email: MovingEmail, status: EmailStatus, changes: EmailChanges = {}): Happening[] {
  const event = eventOf[status];
  return event === null ? [] : [event(email, changes)];
}
