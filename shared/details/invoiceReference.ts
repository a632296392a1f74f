import { line, orNull, recordId, type StaticOf } from '../engine/schemas';

/** What the events of an invoice, its links, payments and credit notes say for programs: its client, and the caller's own id. */
export const invoiceReference = { clientId: recordId, externalId: orNull(line(100)) };

export type InvoiceReference = StaticOf<typeof invoiceReference>;

/** Returns what those events say of an invoice. */
export function referenceOf({ clientId, externalId }: InvoiceReference): InvoiceReference {
  return { clientId, externalId };
}
