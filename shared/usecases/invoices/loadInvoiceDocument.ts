import type { Sql } from '../../database/sql';
import { buildInvoiceDocument } from '../../document/buildInvoiceDocument';
import { documentKey } from '../../document/documentKey';
import { isLongPrint } from '../../document/isLongPrint';
import type { InvoiceDocument } from '../../document/InvoiceDocument';
import type { InvoiceRecord } from './InvoiceRecord';
import { getInvoice } from './getInvoice';
import { partiesOf, type Parties } from './parties';

export interface LoadedDocument {
  invoice: InvoiceRecord;
  document: InvoiceDocument;
  /** What the document's rendering is stored under. */
  key: string;
  /** Takes long to print. */
  isLong: boolean;
  /** Sender and client as the document shows them: frozen ones, or for a draft the present ones. */
  parties: Parties;
}

interface PartyRow {
  frozenParties: string | null;
  companyName: string;
  companyEmail: string | null;
  companyPhone: string | null;
  companyAddress: string | null;
  companyTaxId: string | null;
  companyLocale: string;
  logoKey: string | null;
  name: string;
  email: string | null;
  phone: string | null;
  address: string | null;
  taxId: string | null;
  locale: string | null;
  paymentUrl: string | null;
}

/** The link is printed when it is open and for today's total; whether its time has run out depends on the day of reading. */
const partiesAndLink = `SELECT i.frozenParties, o.name AS companyName, o.email AS companyEmail, o.phone AS companyPhone,
    o.address AS companyAddress, o.taxId AS companyTaxId, o.locale AS companyLocale, o.logoKey,
    c.name, c.email, c.phone, c.address, c.taxId, c.locale,
    (SELECT l.url FROM payment_links l
      WHERE l.companyId = i.companyId AND l.invoiceId = i.id AND l.status = 'active'
        AND l.total = i.total AND l.currency = i.currency ORDER BY l.id DESC LIMIT 1) AS paymentUrl
  FROM invoices i JOIN companies o ON o.id = i.companyId JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId
  WHERE i.companyId = ? AND i.id = ?`;

/**
 * The invoice as its reader sees it. `asSent` shows a draft as it will be once it is sent: without its stamp.
 * @throws {NotFound} when absent, deleted or another company's.
 */
export async function loadInvoiceDocument(
  sql: Sql,
  companyId: number,
  invoiceId: number,
  { asSent = false } = {},
): Promise<LoadedDocument> {
  const invoice = await getInvoice(sql, companyId, invoiceId);
  const [row] = await sql.rows<PartyRow>(partiesAndLink, [companyId, invoiceId]);
  if (row === undefined) throw new Error(`invoice ${invoiceId} is gone between two reads`);
  const parties = row.frozenParties === null ? currentParties(row) : (JSON.parse(row.frozenParties) as Parties);
  const payable = invoice.status !== 'paid' && invoice.status !== 'cancelled';
  const document = buildInvoiceDocument({
    ...invoice,
    ...parties,
    status: asSent && invoice.status === 'draft' ? 'sent' : invoice.status,
    paymentUrl: payable ? row.paymentUrl : null,
  });
  return { invoice, document, key: documentKey(document), isLong: isLongPrint(document), parties };
}

function currentParties(row: PartyRow): Parties {
  const company = {
    name: row.companyName,
    email: row.companyEmail,
    phone: row.companyPhone,
    address: row.companyAddress,
    taxId: row.companyTaxId,
    locale: row.companyLocale,
    logoKey: row.logoKey,
  };
  return partiesOf(company, row);
}

/**
 * One cheap read that changes whenever the document may have changed: what a rendering's key can be remembered under.
 * Null when there is no such invoice.
 */
export async function documentVersion(
  sql: Sql,
  companyId: number,
  invoiceId: number,
): Promise<{ invoiceNumber: string; version: string } | null> {
  const [row] = await sql.rows<
    Record<'invoiceNumber' | 'invoice' | 'client' | 'company', string> & { link: string | null }
  >(
    `SELECT i.invoiceNumber, i.updatedAt AS invoice, c.updatedAt AS client, o.updatedAt AS company,
        (SELECT MAX(l.updatedAt) FROM payment_links l WHERE l.companyId = i.companyId AND l.invoiceId = i.id) AS link
       FROM invoices i JOIN companies o ON o.id = i.companyId
       JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId
      WHERE i.companyId = ? AND i.id = ? AND i.softDelete = 0`,
    [companyId, invoiceId],
  );
  if (row === undefined) return null;
  const { invoiceNumber, invoice, client, company, link } = row;
  return { invoiceNumber, version: [companyId, invoiceId, invoice, client, company, link ?? ''].join('|') };
}
