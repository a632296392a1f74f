import { randomBytes } from 'node:crypto';

/** The contents of a certificate. The keys and signatures may be forged. */
export interface CertificateFacts {
  /** Common names. */
  readonly subject: string;
  readonly issuer: string;
  /** Of the subject, as DER of SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  /** The content octets of the object identifier of the signature's algorithm, in hexadecimal. */
  readonly algorithm: string;
  readonly sign: (toSign: Buffer) => Buffer;
  readonly isAuthority: boolean;
  /** A GeneralName as DER. */
  readonly alternativeName?: Buffer;
}

/** Returns a certificate of X.509 as DER. It is valid for a day. */
export function certificateOf(facts: CertificateFacts): Buffer {
  const { subject, issuer, publicKey, sign, isAuthority, alternativeName } = facts;
  const algorithm = sequence(objectIdentifier(facts.algorithm));
  const extensions = [
    sequence(objectIdentifier('551d13'), der(0x04, sequence(...(isAuthority ? [der(0x01, Buffer.of(0xff))] : [])))),
    ...(alternativeName ? [sequence(objectIdentifier('551d11'), der(0x04, sequence(alternativeName)))] : []),
  ];
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    commonName(issuer),
    sequence(utcTime(-12), utcTime(12)),
    commonName(subject),
    publicKey,
    der(0xa3, sequence(...extensions)),
  );
  return sequence(toSign, algorithm, bitString(sign(toSign)));
}

/** Returns the tag, the length and the contents in DER (X.690). */
export function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

export const sequence = (...contents: Buffer[]): Buffer => der(0x30, ...contents);

/** @param bytes a positive number, without a sign */
export const integer = (bytes: Buffer): Buffer =>
  der(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]));

export const bitString = (bytes: Buffer): Buffer => der(0x03, Buffer.of(0), bytes);

/** @param octets in hexadecimal */
export const objectIdentifier = (octets: string): Buffer => der(0x06, Buffer.from(octets, 'hex'));

const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(objectIdentifier('550403'), der(0x0c, Buffer.from(name)))));

/** Returns the time `hours` from now as `YYMMDDhhmmssZ`. */
function utcTime(hours: number): Buffer {
  const digits = new Date(Date.now() + hours * 3_600_000).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
