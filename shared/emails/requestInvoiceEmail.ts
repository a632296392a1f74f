import { randomUUID } from 'node:crypto';
import { insertRow, type JobRef, type UnitOfWork } from '../engine/db';
import { invoiceRules, type InvoiceStatus } from '../invoices';
import { BadRequest, Conflict, NotFound } from '../engine/errors';
import { recordJob } from '../engine/jobs';
import { sendCreditNoteEmail } from './sendCreditNoteEmail';
import { sendInvoiceEmail } from './sendInvoiceEmail';
import { recordEvent } from '../engine/events';
import { emailEvents } from './events';
import { addressesOf, type EmailRequest, requestColumns } from './recipients';
import type { EmailKind } from './statuses';

/** The job of an e-mail, and the e-mail. */
export type RequestedEmail = JobRef & { emailId: number };

/**
 * Records the request to e-mail an invoice; sends nothing. The job sends what the invoice is by then.
 * @throws {NotFound} the invoice, or `sender_not_found`; {@link Conflict} `invoice_cancelled`; {@link BadRequest}
 * `client_without_email`; checked in this order: cancelled, sender, address.
 */
export async function requestInvoiceEmail(
  uow: UnitOfWork,
  invoiceId: number,
  request: EmailRequest = {},
  kind: Exclude<EmailKind, 'credit_note'> = 'invoice',
): Promise<RequestedEmail> {
  const invoice = await lockForEmail(uow, invoiceId);
  checkEmailable(invoice.status);
  const { emailId, to } = await insertEmail(uow, invoice, request, { kind });
  return recorded(uow, await recordJob(uow, sendInvoiceEmail, { invoiceId, emailId }), { invoiceId, emailId, to });
}

/**
 * Records the request to e-mail a credit note of an invoice; sends nothing. A cancelled invoice is no obstacle: one that is credited
 * completely is cancelled.
 * @throws {NotFound} the invoice, or `sender_not_found`; {@link BadRequest} `client_without_email`.
 */
export async function requestCreditNoteEmail(
  uow: UnitOfWork,
  { invoiceId, creditNoteId }: { invoiceId: number; creditNoteId: number },
  request: EmailRequest = {},
): Promise<RequestedEmail> {
  const invoice = await lockForEmail(uow, invoiceId);
  const { emailId, to } = await insertEmail(uow, invoice, request, { kind: 'credit_note', creditNoteId });
  const job = await recordJob(uow, sendCreditNoteEmail, { invoiceId, emailId, creditNoteId });
  return recorded(uow, job, { invoiceId, emailId, to });
}

async function insertEmail(
  uow: UnitOfWork,
  { id: invoiceId, ...addresses }: InvoiceToSend,
  request: EmailRequest,
  of: { kind: EmailKind; creditNoteId?: number },
): Promise<{ emailId: number; to: string }> {
  const sender = senderOf(addresses);
  const { givenTo, cc, message } = requestColumns(request);
  const to = givenTo ?? clientAddress(addresses.clientEmail);
  const emailId = await insertRow(uow.sql, 'emails', {
    companyId: uow.companyId,
    invoiceId,
    // The domain of a Message-ID is the sender's (RFC 5322, 3.6.4); ours only have to be unique and stable.
    messageId: `${randomUUID()}@${domainOf(sender)}`,
    // Empty for several: a bounce of one of them says nothing about another.
    recipient: addressesOf(to).length > 1 ? '' : to,
    givenTo,
    cc,
    message,
    status: 'queued',
    ...of,
    createdAt: uow.now,
    updatedAt: uow.now,
  });
  return { emailId, to };
}

/** Records the event, and which job sends the e-mail. */
async function recorded(
  uow: UnitOfWork,
  job: JobRef,
  { invoiceId, emailId, to }: { invoiceId: number; emailId: number; to: string },
): Promise<RequestedEmail> {
  recordEvent(uow, emailEvents.requested, invoiceId, { emailId, to });
  await uow.sql.run('UPDATE emails SET jobId = ? WHERE companyId = ? AND id = ?', [job.id, uow.companyId, emailId]);
  return { ...job, emailId };
}

/** @throws {Conflict} `invoice_cancelled`. */
export function checkEmailable(status: InvoiceStatus): void {
  if (!invoiceRules[status].canBeEmailed) {
    throw new Conflict('invoice_cancelled', `a ${status} invoice cannot be e-mailed`);
  }
}

/** Who sends to whom, as company and client are now: read with the request and again for sending, so that later changes count. */
interface Addresses {
  companyName: string | null;
  companyEmail: string | null;
  clientEmail: string | null;
}

/** An invoice, and who gets it from whom. */
interface InvoiceToSend extends Addresses {
  id: number;
  status: InvoiceStatus;
}

/**
 * Locks the invoice until the end of the transaction; company and client are not locked: a subquery locks nothing.
 * @throws {NotFound} when absent, deleted or another company's.
 */
async function lockForEmail({ sql, companyId }: UnitOfWork, invoiceId: number): Promise<InvoiceToSend> {
  const [invoice] = await sql.rows<InvoiceToSend>(
    `SELECT i.id, i.status, (SELECT o.name FROM companies o WHERE o.id = i.companyId) AS companyName,
        (SELECT o.email FROM companies o WHERE o.id = i.companyId) AS companyEmail,
        (SELECT c.email FROM clients c WHERE c.companyId = i.companyId AND c.id = i.clientId) AS clientEmail
       FROM invoices i WHERE i.companyId = ? AND i.id = ? AND i.softDelete = 0 FOR UPDATE`,
    [companyId, invoiceId],
  );
  if (invoice === undefined) throw new NotFound('invoice');
  return invoice;
}

/**
 * Returns the address of the sender, a company that has a name.
 * @throws {NotFound} `sender_not_found`.
 */
export function senderOf({ companyName, companyEmail }: Addresses): string {
  if (!companyEmail || !companyName)
    throw new NotFound('sender information (company name and email)', 'sender_not_found');
  return companyEmail;
}

/** @throws {BadRequest} `client_without_email`. */
export function clientAddress(recipient: string | null): string {
  if (!recipient) throw new BadRequest('client_without_email', 'the client has no e-mail address');
  return recipient;
}

/** Returns the domain of an address, if it fits into `messageId` beside a UUID. */
function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return /^[a-z0-9.-]{1,150}$/i.test(domain) ? domain : 'invoicing.invalid';
}
