import { createHash } from 'node:crypto';
import type { InvoiceDocument } from './InvoiceDocument';
import { templateVersion } from './templateVersion';

/**
 * The name of a document's rendering: SHA-256 (hex) over the document and the version of all that shapes the page. The
 * same invoice has the same key in the API and in every worker of one build: `buildInvoiceDocument` writes properties in
 * one order, which makes its JSON canonical.
 */
export function documentKey(document: InvoiceDocument): string {
  return createHash('sha256').update(templateVersion()).update(JSON.stringify(document)).digest('hex');
}
