/** Credit notes: they are issued, numbered without gaps, and listed. `balance` computes the amount due. */
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
