import { randomUUID } from 'node:crypto';
import { insertRow, type JobRef, type UnitOfWork } from '../engine/db';
import { invoiceRules, type InvoiceStatus, lockInvoice } from '../invoices';
import { BadRequest, Conflict, NotFound } from '../engine/errors';
import { recordJob } from '../engine/jobs';
import { sendInvoiceEmail } from './sendInvoiceEmail';
import { recordEvent } from '../engine/events';
import { emailEvents } from './events';

/**
 * Records the request to e-mail an invoice; sends nothing. The job sends what the invoice is by then.
 * @throws {NotFound} the invoice, or `sender_not_found`; {@link Conflict} `invoice_cancelled`; {@link BadRequest}
 * `client_without_email`; checked in this order: cancelled, sender, address.
 */
export async function requestInvoiceEmail(uow: UnitOfWork, invoiceId: number): Promise<JobRef> {
  const invoice = await lockInvoice(uow, invoiceId);
  const { sender, recipient } = await checkSendable(uow, invoice);
  const emailId = await insertRow(uow.sql, 'emails', {
    companyId: uow.companyId,
    invoiceId,
    // The domain of a Message-ID is the sender's (RFC 5322, 3.6.4); ours only have to be unique and stable.
    messageId: `${randomUUID()}@${domainOf(sender)}`,
    recipient,
    status: 'queued',
    kind: 'invoice',
    createdAt: uow.now,
    updatedAt: uow.now,
  });
  await recordEvent(uow, emailEvents.requested, invoiceId, { emailId, to: recipient });
  const job = await recordJob(uow, sendInvoiceEmail, { invoiceId, emailId });
  await uow.sql.run('UPDATE emails SET jobId = ? WHERE companyId = ? AND id = ?', [job.id, uow.companyId, emailId]);
  return job;
}

/**
 * Returns who sends to whom. Called with the request and again right before sending, so that later changes count.
 * @throws {Conflict} `invoice_cancelled`; {@link NotFound} `sender_not_found`; {@link BadRequest} `client_without_email`.
 */
export async function checkSendable(
  uow: UnitOfWork,
  invoice: { status: InvoiceStatus; clientId: number },
): Promise<{ sender: string; senderName: string; recipient: string; recipientName: string }> {
  if (!invoiceRules[invoice.status].canBeEmailed) {
    throw new Conflict('invoice_cancelled', `a ${invoice.status} invoice cannot be e-mailed`);
  }
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
