import { addColumns } from './Migration';

/** Adds which credit note of the invoice an e-mail brings; null for every other kind. */
export default addColumns('emails', { creditNoteId: 'BIGINT UNSIGNED NULL' });
