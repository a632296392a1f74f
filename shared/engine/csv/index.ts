/** Reading CSV files, and what keeps spreadsheets from taking a text for a formula. */
export { guardFormula, unguardFormula } from './formulas';
export { BrokenCsv, type CsvRecord, readCsv } from './readCsv';
