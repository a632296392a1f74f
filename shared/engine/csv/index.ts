/** CSV files: a reader, and a guard against texts that spreadsheets read as formulas. */
export { guardFormula, unguardFormula } from './formulas';
export { BrokenCsv, type CsvRecord, readCsv } from './readCsv';
