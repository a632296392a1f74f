import { Type } from '@sinclair/typebox';
import { invoiceReference, type InvoiceReference, referenceOf } from '../details';
import { eventType } from '../engine/events';
import { boolean, currency, decimalText, line, orNull, recordId, type StaticOf, text } from '../engine/schemas';

const facts = { paymentLinkId: recordId, invoiceNumber: line(50), amount: decimalText, currency, ...invoiceReference };

/** Returns the facts of a payment link for its events. `amount` is the gateway's. */
export function linkFacts(
  { id, amount, currency }: { id: number; amount: string; currency: string },
  invoice: InvoiceReference & { invoiceNumber: string },
): StaticOf<typeof facts> {
  return { paymentLinkId: id, invoiceNumber: invoice.invoiceNumber, amount, currency, ...referenceOf(invoice) };
}

/** Events of payment links. Their subject is the invoice. */
export const paymentLinkEvents = {
  requested: eventType('invoice.payment_link.requested', Type.Object({ regenerate: boolean, ...invoiceReference }), {
    meaning: 'A new payment link was requested.',
    summary: ({ regenerate }) =>
      `A payment link was requested${regenerate === true ? ', in place of any earlier one' : ''}`,
  }),
  created: eventType('invoice.payment_link.created', Type.Object({ ...facts, url: orNull(text(2048)) }), {
    meaning: 'A payment link was made at the gateway.',
    summary: (data) => `${linkOver(data)} was created`,
  }),
  expired: eventType('invoice.payment_link.expired', Type.Object(facts), {
    meaning: 'A payment link has ended unpaid: it can no longer be paid.',
    summary: (data) => `${linkOver(data)} expired`,
  }),
};

const linkOver = ({ amount, currency }: { amount?: string; currency?: string }): string =>
  amount === undefined ? 'A payment link' : `A payment link over ${amount} ${currency ?? ''}`.trimEnd();
