import { domainToASCII } from 'node:url';

const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL_PART = 64;
const LONGEST_LABEL = 63;

/** Printable characters that RFC 5321 allows without quotes, or that are not ASCII (RFC 6531). */
const LOCAL_PART = /^[^\p{C}\p{Z}@<>()[\]\\,;:"]+$/u;
/** A label of a domain as people write it; the conversion to ASCII checks what is not ASCII. */
const LABEL = /^[\p{L}\p{M}\p{N}_-]+$/u;

/**
 * True for exactly one plain e-mail address that mail servers take in an envelope: no display name, no quotes, no
 * comments, no control characters or halves of surrogate pairs, no empty part between two dots, and the lengths of
 * RFC 5321 (64 bytes before the `@`, labels of 63, 254 characters in all).
 */
export function isEmailAddress(text: string): boolean {
  if (text.length > LONGEST_ADDRESS) return false;
  const at = text.indexOf('@');
  return at > 0 && isLocalPart(text.slice(0, at)) && isDomain(text.slice(at + 1));
}

function isLocalPart(text: string): boolean {
  return LOCAL_PART.test(text) && !text.split('.').includes('') && Buffer.byteLength(text) <= LONGEST_LOCAL_PART;
}

function isDomain(text: string): boolean {
  if (!text.split('.').every((label) => LABEL.test(label))) return false;
  const ascii = domainToASCII(text);
  return ascii !== '' && ascii.split('.').every((label) => label !== '' && label.length <= LONGEST_LABEL);
}
