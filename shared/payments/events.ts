import { Type } from '@sinclair/typebox';
import { eventType } from '../kernel/events/recordEvent';
import { currency, decimalText, line, recordId } from '../kernel/schemas/fields';

/** What happens to the payments of an invoice, which is the subject. */
export const paymentEvents = {
  received: eventType(
    'payment.received',
    Type.Object({
      paymentId: recordId,
      invoiceNumber: line(50),
      amount: decimalText,
      currency,
      otherCurrency: Type.Optional(
        Type.Literal(true, { description: 'The currency is not that of the invoice: the payment covers nothing.' }),
      ),
      excess: Type.Optional({ ...decimalText, description: 'By how much the payments exceed the total.' }),
    }),
    {
      meaning: 'The gateway has received a payment for one of the links of an invoice.',
      subject: 'invoice',
      summary: ({ amount, currency, otherCurrency, excess }) => {
        const received = amount === undefined ? 'Payment received' : `Payment of ${amount} ${currency ?? ''} received`;
        if (otherCurrency === true) return `${received}, in another currency than the invoice's: it covers nothing`;
        return excess === undefined ? received : `${received}, ${excess} more than the total`;
      },
    },
  ),
};
