import { invoiceRules, neverSentNorPaid, statusWhenSent, timesAfter } from '../../../shared/invoices/rules';
import { invoiceStatuses } from '../../../shared/invoices/statuses';

const now = new Date('2026-03-01T10:00:00Z');
const earlier = { sentAt: new Date('2026-01-01T10:00:00Z'), paidAt: new Date('2026-02-01T10:00:00Z') };

test.each([
  // status, can be e-mailed, can be paid, freezes its parties, event on entering
  ['draft', true, true, false, null],
  ['sent', true, true, true, 'invoice.sent'],
  ['overdue', true, true, true, 'invoice.overdue'],
  ['paid', true, false, true, 'invoice.paid'],
  ['cancelled', false, false, true, 'invoice.cancelled'],
] as const)(
  'an invoice that is %s › is bound by these rules',
  (status, canBeEmailed, canBePaid, freezesParties, entered) => {
    const { entered: event, ...rules } = invoiceRules[status];
    expect({ ...rules, entered: event?.type ?? null }).toEqual({ canBeEmailed, canBePaid, freezesParties, entered });
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
