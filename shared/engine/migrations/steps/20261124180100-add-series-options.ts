import { addColumns, inTurn } from './Migration';

const ofBoth = {
  every: 'TINYINT UNSIGNED NOT NULL DEFAULT 1',
  endsOn: 'DATE NULL',
  paused: 'BOOLEAN NOT NULL DEFAULT FALSE',
};

/**
 * Adds what the series of a record is like, beside its dates: the number of periods between them, its last day, whether it is paused, and
 * whether the occurrences of an invoice are e-mailed.
 */
export default inTurn(
  addColumns('expenses', ofBoth),
  addColumns('invoices', { ...ofBoth, autoSend: 'BOOLEAN NOT NULL DEFAULT FALSE' }),
);
