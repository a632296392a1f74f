import {
  invoiceRules,
  neverSentNorPaid,
  statusByPayments,
  statusWhenSent,
  timesAfter,
} from '../../../shared/invoices/rules';
import { invoiceStatuses } from '../../../shared/invoices/statuses';

const now = new Date('2026-03-01T10:00:00Z');
const earlier = { sentAt: new Date('2026-01-01T10:00:00Z'), paidAt: new Date('2026-02-01T10:00:00Z') };

test.each([
  // status, can be e-mailed, can be paid, takes payments made elsewhere, freezes its parties, event on entering
  ['draft', true, true, true, false, null],
  ['sent', true, true, true, true, 'invoice.sent'],
  ['overdue', true, true, true, true, 'invoice.overdue'],
  ['paid', true, false, true, true, 'invoice.paid'],
  ['cancelled', false, false, false, true, 'invoice.cancelled'],
] as const)(
  'an invoice that is %s › is bound by these rules',
  (status, canBeEmailed, canBePaid, takesPayments, freezesParties, entered) => {
    const { entered: event, ...rules } = invoiceRules[status];
    const expected = { canBeEmailed, canBePaid, takesPayments, freezesParties, entered };
    expect({ ...rules, entered: event?.type ?? null }).toEqual(expected);
  },
);

test.each(invoiceStatuses.map((status) => [status, status === 'draft' ? 'sent' : status]))(
  'an invoice that is %s › is %s once it is sent or has a payment link',
  (status, after) => {
    expect(statusWhenSent(status)).toBe(after);
  },
);

test.each([
  ['draft', null, null, earlier.sentAt, null],
  ['sent', now, null, now, null],
  ['overdue', null, null, earlier.sentAt, null],
  ['paid', null, now, earlier.sentAt, now],
  ['cancelled', null, null, earlier.sentAt, null],
] as const)('entering %s › sets and clears the times', (status, newSentAt, newPaidAt, sentAt, paidAt) => {
  expect(timesAfter(status, neverSentNorPaid, now)).toEqual({ sentAt: newSentAt, paidAt: newPaidAt });
  expect(timesAfter(status, earlier, now)).toEqual({ sentAt, paidAt });
});

test('entering paid by a payment › takes the time of the payment', () => {
  expect(timesAfter('paid', neverSentNorPaid, now, earlier.paidAt)).toEqual({ sentAt: null, paidAt: earlier.paidAt });
});

test.each([
  // status, covered now, covered before, past its due date, status after
  ['draft', true, false, false, 'paid'],
  ['sent', true, false, true, 'paid'],
  ['overdue', false, false, true, 'overdue'],
  ['paid', false, true, false, 'sent'],
  ['paid', false, true, true, 'overdue'],
  ['paid', false, false, true, 'paid'],
  ['cancelled', true, false, false, 'cancelled'],
] as const)('%s, covered by payments %s, before %s, past due %s › %s', (status, isCovered, wasCovered, past, after) => {
  expect(statusByPayments(status, { isCovered, wasCovered }, past)).toBe(after);
});
