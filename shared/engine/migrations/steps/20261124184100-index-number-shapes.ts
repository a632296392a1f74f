import { addColumns, addKeys, inTurn } from './Migration';

const ofAscii = (expression: string): string =>
  `VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci
    AS (IF(LENGTH(invoiceNumber) = CHAR_LENGTH(invoiceNumber), ${expression}, NULL)) VIRTUAL`;
const digitsAsZeros = '123456789'
  .split('')
  .reduce((expression, digit) => `REPLACE(${expression}, '${digit}', '0')`, 'invoiceNumber');
/** Each run of digits as one 0: no other digit is left, so 1 and 2 can stand for the two sides of a 0 between which a run is cut out. */
const shape = `REPLACE(REPLACE(REPLACE(${digitsAsZeros}, '0', '12'), '21', ''), '12', '0')`;

/**
 * Finds invoices by their numbers the way a search compares them, and lists the shapes of a company's numbers: `INV-2026-00017` has
 * `INV-0-0`. A company has few shapes, and they tell where in its numbers a search text can be. The server computes both, so a process
 * of the version before need not know of them; they are null for a number with other letters than those of ASCII.
 */
export default inTurn(
  addColumns('invoices', { numberText: ofAscii('invoiceNumber'), numberShape: ofAscii(shape) }),
  addKeys('invoices', { invoices_by_number: 'companyId, numberShape, numberText, id' }),
);
