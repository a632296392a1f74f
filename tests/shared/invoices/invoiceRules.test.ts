import {
  invoiceRules,
  neverSentNorPaid,
  statusByPayments,
  statusWhenSent,
  timesAfter,
} from '../../../shared/invoices/rules';
import { invoiceStatuses } from '../../../shared/invoices/statuses';

const now = new Date('2026-03-01T10:00:00Z');
const earlier = {
  sentAt: new Date('2026-01-01T10:00:00Z'),
  paidAt: new Date('2026-02-01T10:00:00Z'),
  cancelledAt: new Date('2026-02-02T10:00:00Z'),
};

test.each([
  // status, can be e-mailed, can be paid, takes payments made elsewhere, takes credit notes, is reminded, freezes its parties, event on entering
  ['draft', true, true, true, false, false, false, null],
  ['sent', true, true, true, true, true, true, 'invoice.sent'],
  ['overdue', true, true, true, true, true, true, 'invoice.overdue'],
  ['paid', true, false, true, true, false, true, 'invoice.paid'],
  ['cancelled', false, false, false, false, false, true, 'invoice.cancelled'],
] as const)(
  'an invoice that is %s › is bound by these rules',
  (status, canBeEmailed, canBePaid, takesPayments, takesCreditNotes, isReminded, freezesParties, entered) => {
    const { entered: event, ...rules } = invoiceRules[status];
    const expected = { canBeEmailed, canBePaid, takesPayments, takesCreditNotes, isReminded, freezesParties, entered };
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
  ['draft', null, earlier.sentAt, null, null],
  ['sent', now, now, null, null],
  ['overdue', null, earlier.sentAt, null, null],
  ['paid', null, earlier.sentAt, now, null],
  ['cancelled', null, earlier.sentAt, null, now],
] as const)('entering %s › sets and clears the times', (status, newSentAt, sentAt, paidAt, cancelledAt) => {
  expect(timesAfter(status, neverSentNorPaid, now)).toEqual({ sentAt: newSentAt, paidAt, cancelledAt });
  expect(timesAfter(status, earlier, now)).toEqual({ sentAt, paidAt, cancelledAt });
});

test('entering paid by a payment › takes the time of the payment', () => {
  expect(timesAfter('paid', neverSentNorPaid, now, earlier.paidAt)).toMatchObject({ paidAt: earlier.paidAt });
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
