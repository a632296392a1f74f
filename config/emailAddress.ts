import { domainToASCII } from 'node:url';

const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL_PART = 64;
const LONGEST_LABEL = 63;

/** Atoms between single dots (`Dot-string` of RFC 5321, 4.1.2), in ASCII: not every mail server takes others (RFC 6531). */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** A label of a domain as people write it. The conversion to ASCII checks letters beyond ASCII. */
const LABEL = /^[\p{L}\p{M}\p{N}-]+$/u;
/** A label of a domain in ASCII (`sub-domain` of RFC 5321, 4.1.2). */
const ASCII_LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

/**
 * True for exactly one plain e-mail address that mail servers take in an envelope: no display name, no quotes, no
 * comments, nothing but ASCII before the `@`, no empty part between two dots, and the lengths of RFC 5321 (64 characters
 * before the `@`, labels of 63, 254 in all). The domain may be internationalised: see {@link asciiAddress}.
 */
export function isEmailAddress(text: string): boolean {
  // Checked before the conversion, whose time grows with the text.
  if (text.length > LONGEST_ADDRESS) return false;
  const at = text.indexOf('@');
  return (
    isLocalPart(text.slice(0, Math.max(at, 0))) &&
    isDomain(text.slice(at + 1)) &&
    asciiAddress(text).length <= LONGEST_ADDRESS
  );
}

/**
 * Returns the address with its domain in ASCII (RFC 5891), as mail servers and the format `email` of JSON Schema require:
 * `info@bücher.example` is `info@xn--bcher-kva.example`. An address in ASCII is not changed.
 */
export function asciiAddress(address: string): string {
  const domain = address.lastIndexOf('@') + 1;
  return isAscii(address) ? address : address.slice(0, domain) + domainToASCII(address.slice(domain));
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function isLocalPart(text: string): boolean {
  return LOCAL_PART.test(text) && text.length <= LONGEST_LOCAL_PART;
}

function isDomain(text: string): boolean {
  if (!text.split('.').every((label) => LABEL.test(label))) return false;
  const ascii = domainToASCII(text);
  return ascii !== '' && ascii.split('.').every((label) => ASCII_LABEL.test(label) && label.length <= LONGEST_LABEL);
}
