import {
  acceptedStatuses,
  afterReport,
  reportKinds,
  statusAfter,
  type EmailState,
  type ReportKind,
} from '../../../shared/emails/reportRules';
import { emailStatuses, type EmailStatus } from '../../../shared/emails/statuses';

const now = new Date('2026-03-02T00:00:00Z');
const attemptedAt = new Date('2026-03-01T10:00:00Z');
const unknown: EmailState = {
  ...{ status: 'uncertain', sentAt: null, deliveredAt: null, openedAt: null, bouncedAt: null },
  error: { code: 'delivery_uncertain', message: 'no response' },
};

/** What happened to a message, in the order of time; each a minute after the one before. */
const reportsOf = (kinds: readonly ReportKind[]) =>
  kinds.map((kind, minute) => ({
    kind,
    at: new Date(attemptedAt.getTime() + (minute + 1) * 60_000),
    error: kind === 'bounced' || kind === 'dropped' ? { code: kind, message: 'no such mailbox' } : null,
  }));

const end = (state: EmailState, reports: ReturnType<typeof reportsOf>): EmailState =>
  reports.reduce((before, report) => afterReport(before, report, { attemptedAt, now }), state);

function* permutations<T>(all: readonly T[]): Generator<T[]> {
  if (all.length === 0) yield [];
  for (const [index, one] of all.entries()) {
    for (const rest of permutations([...all.slice(0, index), ...all.slice(index + 1)])) yield [one, ...rest];
  }
}

function subsets<T>(all: readonly T[]): T[][] {
  const [first, ...rest] = all;
  if (first === undefined) return [[]];
  return subsets(rest).flatMap((some) => [some, [first, ...some]]);
}

describe('the status after a report', () => {
  test('is what the table says, for every status and report', () => {
    const rank = { sent: 0, failed: 1, delivered: 2, bounced: 3, complained: 4 };
    const least = { accepted: 0, dropped: 1, delivered: 2, opened: 2, bounced: 3, complained: 4 };
    for (const status of acceptedStatuses) {
      for (const kind of reportKinds) {
        expect([status, kind, rank[statusAfter[status][kind]]]).toEqual([
          ...[status, kind, Math.max(rank[status], least[kind])],
        ]);
      }
    }
  });

  test('is the same in whatever order the reports come, and so are its times and its error', () => {
    for (const kinds of subsets(reportKinds)) {
      const reports = reportsOf(kinds);
      const expected = end(unknown, reports);
      for (const order of permutations(reports)) {
        const { error, ...state } = end(unknown, order);
        const { error: expectedError, ...expectedState } = expected;
        expect(state).toEqual(expectedState);
        expect(error?.code).toBe(expectedError?.code);
      }
    }
  });

  test.each(emailStatuses)(
    'of an e-mail that is %s and not known to be accepted › follows from the report',
    (status) => {
      for (const kind of reportKinds) {
        const [report] = reportsOf([kind]);
        const after = afterReport({ ...unknown, status }, report as never, { attemptedAt, now });
        expect([kind, after.status, after.sentAt]).toEqual([kind, statusAfter.sent[kind], attemptedAt]);
        expect(after.error?.code).toBe({ bounced: 'bounced', dropped: 'dropped' }[kind as string]);
      }
    },
  );

  test('of a dropped message › stays, also when its acceptance is reported late', () => {
    const { status, error } = end(unknown, reportsOf(['dropped', 'accepted']));
    expect([status, error?.code]).toEqual(['failed', 'dropped']);
  });

  test('takes no time from the future, and the time of its arrival where there is none', () => {
    const later = new Date(now.getTime() + 1);
    for (const at of [later, null]) {
      const { deliveredAt } = afterReport(unknown, { kind: 'delivered', at, error: null }, { attemptedAt, now });
      expect(deliveredAt).toEqual(now);
    }
  });

  test('of an e-mail that was never attempted › counts as sent when the report says', () => {
    const queued: EmailState = { ...unknown, status: 'queued' satisfies EmailStatus };
    const at = new Date('2026-03-01T11:00:00Z');
    expect(afterReport(queued, { kind: 'accepted', at, error: null }, { attemptedAt: null, now }).sentAt).toEqual(at);
  });
});
