import { Type } from '@sinclair/typebox';
import type { UnitOfWork } from '../engine/db';
import { eventType, recordEvent } from '../engine/events';
import { line, recordId } from '../engine/schemas';
import { LONGEST_TO } from './recipients';

/** What happens to the e-mails that bring a credit note. The invoice is the subject. */
export const creditNoteEmailEvents = {
  sent: eventType(
    'credit_note.sent',
    Type.Object({ creditNoteId: recordId, creditNoteNumber: line(50), emailId: recordId, to: line(LONGEST_TO) }),
    {
      meaning: 'The mail provider has accepted an e-mail with a credit note.',
      subject: 'invoice',
      summary: ({ creditNoteNumber = '', to }) => `Credit note ${creditNoteNumber} was sent to ${to ?? 'the client'}`,
    },
  ),
};

/** Records that the e-mail of a credit note was accepted by the mail provider. */
export async function recordCreditNoteSent(
  uow: UnitOfWork,
  { emailId, invoiceId, recipient }: { emailId: number; invoiceId: number; recipient: string },
): Promise<void> {
  const [note] = await uow.sql.rows<{ creditNoteId: number; creditNoteNumber: string }>(
    `SELECT k.id AS creditNoteId, k.creditNoteNumber FROM emails m
       JOIN credit_notes k ON k.companyId = m.companyId AND k.id = m.creditNoteId WHERE m.companyId = ? AND m.id = ?`,
    [uow.companyId, emailId],
  );
  if (note === undefined) throw new Error(`e-mail ${emailId} is of no credit note`);
  recordEvent(uow, creditNoteEmailEvents.sent, invoiceId, { ...note, emailId, to: recipient });
}
