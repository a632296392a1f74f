/** The documents that correct invoices: issued, numbered without gaps, listed. What is left to pay follows in `balance`. */
export {
  creditNoteBatches,
  type CreditNoteInput,
  creditNoteList,
  creditNotesQuery,
  type CreditNotesRequest,
  getCreditNote,
  listCreditNotes,
  newCreditNoteBody,
  presentCreditNote,
} from './record';
export { checkCreditNoteBody, issueCreditNote } from './issueCreditNote';
