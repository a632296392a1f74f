import { InvalidArgumentError } from 'commander';

/** An id or a count on the command line. @throws {InvalidArgumentError} when it is no positive integer. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('It must be a positive integer.');
  }
  return value;
}

/** `read,write` as a list. */
export function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
