import type { EmailError } from './EmailError';
import type { EmailStatus } from './statuses';

/**
 * What the mail provider reports of a message. Each report also proves that the provider has accepted the message, whatever was
 * known of it before.
 */
export const reportKinds = ['accepted', 'dropped', 'delivered', 'opened', 'bounced', 'complained'] as const;
export type ReportKind = (typeof reportKinds)[number];

/** The statuses of a message that the provider has accepted; `failed`: the provider has dropped it since. */
export const acceptedStatuses = ['sent', 'failed', 'delivered', 'bounced', 'complained'] as const;
export type AcceptedStatus = (typeof acceptedStatuses)[number];

/**
 * The status after each report. Reports come in any order, so a status only moves on: a message may bounce after a server has
 * taken it, and be complained about, and an earlier report that comes late changes nothing. The end is the same in every order.
 */
export const statusAfter: Readonly<Record<AcceptedStatus, Readonly<Record<ReportKind, AcceptedStatus>>>> = {
  sent: {
    accepted: 'sent',
    dropped: 'failed',
    delivered: 'delivered',
    opened: 'delivered',
    bounced: 'bounced',
    complained: 'complained',
  },
  failed: {
    accepted: 'failed',
    dropped: 'failed',
    delivered: 'delivered',
    opened: 'delivered',
    bounced: 'bounced',
    complained: 'complained',
  },
  delivered: {
    accepted: 'delivered',
    dropped: 'delivered',
    delivered: 'delivered',
    opened: 'delivered',
    bounced: 'bounced',
    complained: 'complained',
  },
  bounced: {
    accepted: 'bounced',
    dropped: 'bounced',
    delivered: 'bounced',
    opened: 'bounced',
    bounced: 'bounced',
    complained: 'complained',
  },
  complained: {
    accepted: 'complained',
    dropped: 'complained',
    delivered: 'complained',
    opened: 'complained',
    bounced: 'complained',
    complained: 'complained',
  },
};

/** One report about one message. */
export interface EmailReport {
  /** The provider's id of the report, by which it is processed once. */
  id: string;
  /** The Message-ID. */
  reference: string;
  kind: ReportKind;
  /** The recipient that it is about; null where the report does not say. */
  address: string | null;
  /** When it happened; null where the report does not say. */
  at: Date | null;
  providerMessageId: string | null;
  /** Why it was dropped or has bounced. */
  error: EmailError | null;
}

/** What reports change of an e-mail. */
export interface EmailState {
  status: EmailStatus;
  sentAt: Date | null;
  deliveredAt: Date | null;
  openedAt: Date | null;
  bouncedAt: Date | null;
  error: EmailError | null;
}

/** Returns the state after a report that came at `now`. The earliest of several times is kept. */
export function afterReport(
  state: EmailState,
  { kind, at, error }: Pick<EmailReport, 'kind' | 'at' | 'error'>,
  { attemptedAt, now }: { attemptedAt: Date | null; now: Date },
): EmailState {
  const time = at === null || at > now ? now : at;
  const before = state.sentAt !== null && isAccepted(state.status) ? state.status : null;
  const status = statusAfter[before ?? 'sent'][kind];
  const earliest = (known: Date | null, ...kinds: readonly ReportKind[]): Date | null =>
    kinds.includes(kind) && (known === null || time < known) ? time : known;
  return {
    status,
    sentAt: state.sentAt ?? attemptedAt ?? time,
    deliveredAt: earliest(state.deliveredAt, 'delivered'),
    openedAt: earliest(state.openedAt, 'opened'),
    bouncedAt: earliest(state.bouncedAt, 'bounced'),
    error: status === before ? state.error : error,
  };
}

function isAccepted(status: EmailStatus): status is AcceptedStatus {
  return (acceptedStatuses as readonly string[]).includes(status);
}
