import { Type } from '@sinclair/typebox';
import { invoiceReference, type InvoiceReference, referenceOf } from '../details';
import { eventType } from '../engine/events';
import { currency, decimalText, line, orNull, recordId, type StaticOf } from '../engine/schemas';
import { paymentFlag } from './flags';

const facts = { paymentId: recordId, invoiceNumber: line(50), amount: decimalText, currency, ...invoiceReference };

/** Returns the facts of a payment and its invoice that each of its events has. */
export function paymentFacts(
  { id, amount, currency }: { id: number; amount: string; currency: string },
  invoice: InvoiceReference & { invoiceNumber: string },
): StaticOf<typeof facts> {
  return { paymentId: id, invoiceNumber: invoice.invoiceNumber, amount, currency, ...referenceOf(invoice) };
}

const excess = Type.Optional({ ...decimalText, description: 'By how much the payments exceed the total.' });
const elsewhere = { ...facts, method: orNull(line(50)), reference: orNull(line(255)) };

/** Events of payments. Their subject is the invoice. */
export const paymentEvents = {
  received: eventType(
    'payment.received',
    Type.Object({
      ...facts,
      otherCurrency: Type.Optional(
        Type.Literal(true, { description: 'The currency is not that of the invoice: the payment covers nothing.' }),
      ),
      flags: Type.Optional(Type.Array(paymentFlag, { description: 'What was noticed about it; absent for nothing.' })),
      excess,
    }),
    {
      meaning: 'The gateway has received a payment for one of the links of an invoice.',
      subject: 'invoice',
      summary: ({ otherCurrency, ...data }) => paid('received', data, otherCurrency === true),
    },
  ),
  recorded: eventType('payment.recorded', Type.Object({ ...elsewhere, flags: Type.Array(paymentFlag), excess }), {
    meaning: 'A payment that was made elsewhere was recorded by a request.',
    subject: 'invoice',
    summary: (data) => paid('recorded', data, data.flags?.includes('wrong_currency') === true),
  }),
  refunded: eventType(
    'payment.refunded',
    Type.Object({
      ...facts,
      refundedAmount: { ...decimalText, description: 'What of the payment is refunded in all.' },
    }),
    {
      meaning: 'The gateway reports what of a payment was refunded. The balance stays as it is.',
      subject: 'invoice',
      summary: ({ refundedAmount, ...data }) =>
        `${sum(data)} refunded${refundedAmount === undefined || refundedAmount === data.amount ? '' : `: ${refundedAmount} of it in all`}`,
    },
  ),
  disputed: eventType('payment.disputed', Type.Object(facts), {
    meaning: 'The payer disputes a payment at the gateway. The balance stays as it is.',
    subject: 'invoice',
    summary: (data) => `${sum(data)} disputed by the payer`,
  }),
  voided: eventType('payment.voided', Type.Object(elsewhere), {
    meaning: 'A payment that was recorded by a request was voided: it counts no more.',
    subject: 'invoice',
    summary: (data) => `${sum(data)} voided`,
  }),
};

interface Sum {
  amount?: string;
  currency?: string;
}

const sum = ({ amount, currency = '' }: Sum): string =>
  amount === undefined ? 'Payment' : `Payment of ${amount} ${currency}`.trimEnd();

function paid(how: string, data: Sum & { excess?: string }, isOtherCurrency: boolean): string {
  const done = `${sum(data)} ${how}`;
  if (isOtherCurrency) return `${done}, in another currency than the invoice's: it covers nothing`;
  return data.excess === undefined ? done : `${done}, ${data.excess} more than the total`;
}
