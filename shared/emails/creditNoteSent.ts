import { Type } from '@sinclair/typebox';
import { padded, placeholders } from '../engine/db';
import { eventType, recordEvent } from '../engine/events';
import { line, recordId } from '../engine/schemas';
import { LONGEST_TO } from './recipients';
import type { SentEmail } from './SentEmail';

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

/** Records that e-mails with credit notes of one company were accepted by the mail provider. */
export async function recordCreditNotesSent(sent: readonly SentEmail[]): Promise<void> {
  const [first] = sent;
  if (first === undefined) return;
  const { sql, companyId } = first.uow;
  const ids = padded(sent.map(({ email }) => email.emailId));
  const notes = await sql.rows<{ emailId: number; creditNoteId: number; creditNoteNumber: string }>(
    `SELECT m.id AS emailId, k.id AS creditNoteId, k.creditNoteNumber FROM emails m
       JOIN credit_notes k ON k.companyId = m.companyId AND k.id = m.creditNoteId
      WHERE m.companyId = ? AND m.id IN (${placeholders(ids.length)})`,
    [companyId, ...ids],
  );
  for (const { uow, email } of sent) {
    const note = notes.find(({ emailId }) => emailId === email.emailId);
    if (note === undefined) throw new Error(`e-mail ${email.emailId} is of no credit note`);
    recordEvent(uow, creditNoteEmailEvents.sent, email.invoiceId, { ...note, to: email.recipient });
  }
}
