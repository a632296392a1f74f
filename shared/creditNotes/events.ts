import { Type } from '@sinclair/typebox';
import { invoiceReference } from '../details';
import { eventType } from '../engine/events';
import { currency, decimalText, line, recordId, text } from '../engine/schemas';

/** Events of credit notes. Their subject is the invoice. */
export const creditNoteEvents = {
  issued: eventType(
    'credit_note.issued',
    Type.Object({
      ...{ creditNoteId: recordId, creditNoteNumber: line(50), invoiceNumber: line(50) },
      ...{ total: decimalText, currency, reason: text(500, 20), ...invoiceReference },
    }),
    {
      meaning: 'A credit note was issued: it takes back a part of the invoice, or all of it.',
      subject: 'invoice',
      summary: ({ creditNoteNumber = '', total = '', currency: code = '' }) =>
        `Credit note ${creditNoteNumber} issued${total === '' ? '' : `: ${total} ${code} less to pay`}`,
    },
  ),
};
