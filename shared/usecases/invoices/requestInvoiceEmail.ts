import { randomUUID } from 'node:crypto';
import { insertRow } from '../../database/insert';
import type { JobRef, UnitOfWork } from '../../database/unitOfWork';
import { BadRequest, Conflict, NotFound } from '../../errors';
import { recordJob } from '../../outbox/recordJob';
import { recordEvent } from '../recordEvent';
import { lockInvoiceState } from './lockInvoice';

/**
 * Records the request to e-mail an invoice; sends nothing. What changes before the sending is seen by the job.
 * @throws {NotFound} the invoice, or `sender_not_found`; {@link Conflict} `invoice_cancelled`; {@link BadRequest}
 * `client_without_email`; in the order of the interface (decided: cancelled, sender, address).
 */
export async function requestInvoiceEmail(uow: UnitOfWork, invoiceId: number): Promise<JobRef> {
  const invoice = await lockInvoiceState(uow, invoiceId);
  const { sender, recipient } = await checkSendable(uow, invoice);
  const emailId = await insertRow(uow.sql, 'emails', {
    companyId: uow.companyId,
    invoiceId,
    // The domain of a Message-ID is the sender's (RFC 5322, 3.6.4); ours only have to be unique and stable.
    messageId: `${randomUUID()}@${domainOf(sender)}`,
    recipient,
    status: 'queued',
    createdAt: uow.now,
    updatedAt: uow.now,
  });
  await recordEvent(uow, 'invoice.email.requested', { type: 'invoice', id: invoiceId }, { emailId });
  return recordJob(uow, 'sendInvoiceEmail', { invoiceId, emailId });
}

/** Also asked by the job right before sending: what has changed since the request is seen. */
export async function checkSendable(
  uow: UnitOfWork,
  invoice: { status: string; clientId: number },
): Promise<{ sender: string; senderName: string; recipient: string; recipientName: string }> {
  if (invoice.status === 'cancelled') throw new Conflict('invoice_cancelled', 'a cancelled invoice cannot be e-mailed');
  const [row] = await uow.sql.rows<PartyAddresses>(
    `SELECT o.email AS sender, o.name AS senderName, c.email AS recipient, c.name AS recipientName
       FROM companies o LEFT JOIN clients c ON c.companyId = o.id AND c.id = ? WHERE o.id = ?`,
    [invoice.clientId, uow.companyId],
  );
  if (!row?.sender || !row.senderName)
    throw new NotFound('sender information (company name and email)', 'sender_not_found');
  const { sender, senderName, recipient, recipientName } = row;
  if (!recipient) throw new BadRequest('client_without_email', 'the client has no e-mail address');
  return { sender, senderName, recipient, recipientName: recipientName ?? '' };
}

type PartyAddresses = Record<'sender' | 'senderName' | 'recipient' | 'recipientName', string | null>;

function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return /^[a-z0-9.-]+$/i.test(domain) ? domain : 'invoicing.invalid';
}
