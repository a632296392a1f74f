import { eventTypes } from '../../../shared/eventTypes';
import { summaryOf } from '../../../shared/timeline/summaryOf';

const amounts = { total: '150.00', amount: '150.00', currency: 'USD' };
const to = 'accounts@acme.example';
const error = { code: 'bounced', message: 'mailbox does not exist' };

test.each([
  ['invoice.created', { status: 'draft', ...amounts }, 'Created as draft, 150.00 USD'],
  [
    'invoice.created',
    { status: 'draft', ...amounts, seriesId: 12, occurrenceDate: '2027-02-28' },
    'Created as draft, 150.00 USD, for 2027-02-28 of the series 12',
  ],
  ['invoice.created', { status: 'draft', total: '150.00' }, 'Created as draft, 150.00'],
  ['invoice.updated', { changed: { notes: ['a', 'b'], dueDate: ['x', 'y'] } }, 'Changed notes and dueDate'],
  ['invoice.updated', { changed: { items: 'replaced' } }, 'Changed items'],
  ['invoice.updated', { changed: {} }, 'Saved without a change'],
  ['invoice.sent', { from: 'draft' }, 'The status changed from draft to sent'],
  ['invoice.paid', { from: null }, 'The status is paid from the beginning'],
  ['invoice.deleted', {}, 'Invoice deleted'],
  ['invoice.payment_link.requested', { regenerate: true }, 'A payment link was requested, in place of any earlier one'],
  ['invoice.payment_link.created', { ...amounts }, 'A payment link over 150.00 USD was created'],
  ['invoice.payment_link.expired', { paymentLinkId: 3 }, 'A payment link expired'],
  ['payment.received', { ...amounts }, 'Payment of 150.00 USD received'],
  ['payment.received', { ...amounts, excess: '30.00' }, 'Payment of 150.00 USD received, 30.00 more than the total'],
  [
    'payment.received',
    { ...amounts, otherCurrency: true },
    "Payment of 150.00 USD received, in another currency than the invoice's: it covers nothing",
  ],
  ['email.requested', { to }, 'E-mail to accounts@acme.example was requested'],
  ['email.sent', { to }, 'E-mail to accounts@acme.example was accepted by the mail provider'],
  ['email.delivered', { to }, 'E-mail to accounts@acme.example was delivered'],
  ['email.bounced', { to, error }, 'E-mail to accounts@acme.example bounced: mailbox does not exist'],
  ['email.bounced', { to, error: { ...error, message: '' } }, 'E-mail to accounts@acme.example bounced'],
  ['email.complained', { to }, 'E-mail to accounts@acme.example was reported as spam'],
  ['email.failed', { emailId: 1 }, 'An e-mail failed'],
  ['email.uncertain', { emailId: 1 }, 'An e-mail may or may not have been sent'],
  [
    'reminder.sent',
    { to, dueDate: '2027-01-20' },
    'Reminder for the due date 2027-01-20 was sent to accounts@acme.example',
  ],
  [
    'reminder.skipped',
    { dueDate: '2027-01-20', message: 'nothing is due' },
    'Reminder for the due date 2027-01-20 was skipped: nothing is due',
  ],
  ['expense.created', { status: 'pending', amount: '42.50' }, 'Created as pending, 42.50'],
  ['expense.approved', { from: 'pending' }, 'The status changed from pending to approved'],
  ['invoice.email.requested', { emailId: 1 }, 'Invoice email requested'],
  ['made.up_later', {}, 'Made up later'],
])('the summary of %s with %j › is %j', (type, data, summary) => {
  expect(summaryOf(type, data)).toBe(summary);
});

test.each(eventTypes.map(({ type }) => type))('the summary of %s without any field › is a sentence', (type) => {
  expect(summaryOf(type, {})).toMatch(/^[A-Z][^.]*[a-z0-9]$/);
  expect(summaryOf(type, {})).not.toMatch(/undefined|null|NaN|object/);
});
