import type { DateOnly } from '../dates/dates';

const TOKEN = /\{(YYYY|MM|SEQ:([1-9]))\}/g;

/** True for printable characters that are not only spaces: no control, invisible or line-breaking ones. */
export function isInvoiceNumber(text: string): boolean {
  return isPrintable(text) && text.trim() !== '';
}

/**
 * True for a format with exactly one `{SEQ:n}` (n: least digits, 1 to 9), optional `{YYYY}` and `{MM}`, and otherwise
 * printable characters without braces; the longest number it can make must fit into 50 characters.
 */
export function isInvoiceNumberFormat(format: string): boolean {
  const rest = format.replace(TOKEN, '');
  const sequences = format.match(/\{SEQ:[1-9]\}/g) ?? [];
  const longest = format
    .replaceAll('{YYYY}', '0000')
    .replaceAll('{MM}', '00')
    .replace(/\{SEQ:[1-9]\}/, '0'.repeat(16));
  return sequences.length === 1 && !/[{}]/.test(rest) && isPrintable(rest) && longest.length <= 50;
}

/** What a sequence is counted for: the format with year and month filled in, so that each year or month starts again. */
export function seriesOf(format: string, issueDate: DateOnly): string {
  return format.replaceAll('{YYYY}', issueDate.slice(0, 4)).replaceAll('{MM}', issueDate.slice(5, 7));
}

/** `numberOf('INV-2026-{SEQ:5}', 42)` is `INV-2026-00042`; a larger number takes the digits it needs. */
export function numberOf(series: string, sequence: number): string {
  const { prefix, digits, suffix } = partsOf(series);
  return `${prefix}${String(sequence).padStart(digits, '0')}${suffix}`;
}

/** The texts around the sequence of a series, and its least digits. */
export function partsOf(series: string): { prefix: string; digits: number; suffix: string } {
  const [prefix = '', digits, suffix = ''] = series.split(/\{SEQ:([1-9])\}/);
  return { prefix, digits: Number(digits), suffix };
}

function isPrintable(text: string): boolean {
  return !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
}
