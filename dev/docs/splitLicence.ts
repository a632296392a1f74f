/** The parts of a licence file: the copyright of one package, and the text that many packages share. */
export interface LicenceParts {
  /** The lines that name the holders of the copyright. */
  notices: string[];
  /** The rest, without trailing spaces. */
  text: string;
  /**
   * The same for texts that differ only in title, case, line breaks, punctuation or what follows the end of the terms.
   */
  key: string;
}

const noticeLine = /^[\s*#/]*copyright\b.*(?:\d{4}|\(c\)|©|\bauthors?\b)/i;
const titles = new Set([
  'mit',
  'mit license',
  'the mit license',
  'the mit license mit',
  'isc license',
  'the isc license',
]);
const reservation = /^\s*all rights reserved\.?\s*$/i;
const fence = /^\s*```/;

/** Splits the text of a licence file into the notices of its copyright and the text that many packages share. */
export function splitLicence(file: string): LicenceParts {
  const lines = file
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '    ')
    .split('\n')
    .map((line) => line.trimEnd());
  const notices = lines.filter((line) => noticeLine.test(line)).map((line) => line.trim());
  const dropped = [noticeLine, reservation, fence];
  const rest = lines.filter((line) => !titles.has(wordsOf(line)) && !dropped.some((kind) => kind.test(line)));
  const text = rest
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const [terms = ''] = wordsOf(text).split('end of terms and conditions');
  return { notices, text, key: terms.trim() };
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}
