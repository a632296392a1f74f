import { addColumns } from './Migration';

/** Adds how a company numbers its credit notes. */
export default addColumns('companies', { creditNoteNumberFormat: "VARCHAR(50) NOT NULL DEFAULT 'CN-{YYYY}-{SEQ:5}'" });
