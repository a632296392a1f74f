import { getCreditNote } from '../creditNotes';
import { buildCreditNoteDocument, documentKey, isLongPrint } from '../documents';
import { type DocumentServices, type LoadedDocument, loadInvoiceDocument } from './loadInvoiceDocument';

/**
 * Loads a credit note as its reader sees it, with the sender and the client that its invoice shows. One of a deleted invoice too: a
 * credit note is never deleted.
 * @throws {NotFound} when absent or another company's.
 */
export async function loadCreditNoteDocument(
  services: DocumentServices,
  companyId: number,
  creditNoteId: number,
): Promise<LoadedDocument> {
  const note = await getCreditNote(services.sql, companyId, creditNoteId);
  const loaded = await loadInvoiceDocument(services, companyId, note.invoiceId, { includeDeleted: true });
  const { invoice, parties, current, isProcessing, pageToken } = loaded;
  const { invoiceNumber, issueDate: invoiceIssueDate, taxRate } = invoice;
  const document = buildCreditNoteDocument({ ...parties, ...note, invoiceNumber, invoiceIssueDate, taxRate });
  return {
    ...{ invoice, creditNoteId, document, parties, current, isProcessing, pageToken },
    ...{ key: documentKey(document), isLong: isLongPrint(document) },
  };
}
