import { type UnitOfWork, updateRows } from '../engine/db';
import { recordEvent } from '../engine/events';
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

type Tell = (uow: UnitOfWork, email: MovingEmail, changes: EmailChanges) => void;

const tell =
  (type: typeof emailEvents.delivered): Tell =>
  (uow, { invoiceId, emailId, recipient }) =>
    recordEvent(uow, type, invoiceId, { emailId, to: recipient });

const tellWhy =
  (type: typeof emailEvents.failed, fallback: string): Tell =>
  (uow, { invoiceId, emailId, recipient }, { error }) =>
    recordEvent(uow, type, invoiceId, {
      ...{ emailId, to: recipient },
      error: error ?? { code: fallback, message: 'no reason was given' },
    });

/** Records the event of the status that an e-mail enters; null for a status without an event. */
const entering: Readonly<Record<EmailStatus, Tell | null>> = {
  queued: null,
  sending: null,
  sent: (uow, { invoiceId, emailId, recipient }, { providerMessageId = null }) =>
    recordEvent(uow, emailEvents.sent, invoiceId, { emailId, to: recipient, providerMessageId }),
  delivered: tell(emailEvents.delivered),
  complained: tell(emailEvents.complained),
  bounced: tellWhy(emailEvents.bounced, 'bounced'),
  failed: tellWhy(emailEvents.failed, 'failed'),
  uncertain: tellWhy(emailEvents.uncertain, 'uncertain'),
};

/** A status that an e-mail enters, with what its event says of it. */
export type Entered = readonly [status: EmailStatus, changes: EmailChanges];

/** One e-mail of several that enter a status. */
export interface EmailMove {
  /** Its events name the origin of this one; all moves are of one transaction. */
  readonly uow: UnitOfWork;
  readonly email: MovingEmail;
  readonly changes?: EmailChanges;
  /** The statuses that it enters; absent: the new one alone. */
  readonly entered?: readonly Entered[];
}

/** The state that an e-mail must be in. */
interface Only {
  status?: EmailStatus;
  attemptedAt?: Date;
}

/**
 * Gives an e-mail the status and records the event of it. With `only`, an e-mail that has another status, or is on another attempt, is
 * left alone. Returns whether it was changed.
 * @param entered see {@link EmailMove.entered}
 */
export async function moveEmail(
  uow: UnitOfWork,
  email: MovingEmail,
  status: EmailStatus,
  changes?: EmailChanges,
  only?: Only,
  entered?: readonly Entered[],
): Promise<boolean> {
  return moveEmails([{ uow, email, ...(changes && { changes }), ...(entered && { entered }) }], status, only);
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
    const { uow, email, changes = {}, entered = [[status, changes]] } = move;
    for (const [to, by] of entered) entering[to]?.(uow, email, by);
    if (entered.some(([to]) => to === 'sent')) sent.push(move);
  }
  await recordRemindersSent(sent.filter(({ email }) => email.kind === 'reminder'));
  await recordCreditNotesSent(sent.filter(({ email }) => email.kind === 'credit_note'));
  return true;
}
