import { createHash } from 'node:crypto';
import type { InvoiceDocument } from './InvoiceDocument';
import { templateVersion } from './templateVersion';

/**
 * Returns the key of a document's rendering: SHA-256 (hex) over the document and the version of the templates. The same invoice has the
 * same key in the API and in every worker of one build: `buildInvoiceDocument` writes properties in one order, which makes its JSON
 * canonical.
 */
export function documentKey(document: InvoiceDocument): string {
  return createHash('sha256').update(templateVersion()).update(JSON.stringify(document)).digest('hex');
}
