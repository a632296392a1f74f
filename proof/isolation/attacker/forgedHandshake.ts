import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { bitString, certificateOf, integer, objectIdentifier, sequence } from '../../../dev/certificates/certificateOf';

/**
 * A key and signatures that take long to verify. They need not be valid: OpenSSL verifies the whole chain after an
 * error as well.
 */
interface Forgery {
  readonly publicKey: Buffer;
  readonly algorithm: string;
  readonly sign: () => Buffer;
  /** Of a suite of TLS 1.2 for such keys. */
  readonly cipherSuite: number;
}

/** RSA of 3,072 bits: the longest key with which OpenSSL accepts an exponent as long as the modulus. */
export function longExponent(): Forgery {
  const number = (first: number): Buffer => Buffer.concat([Buffer.of(first), randomBytes(382), Buffer.of(1)]);
  const key = sequence(integer(number(0xff)), integer(number(0x7f)));
  return {
    publicKey: sequence(sequence(objectIdentifier('2a864886f70d010101')), bitString(key)),
    algorithm: '2a864886f70d01010b',
    sign: () => number(0x3f),
    cipherSuite: 0xc02f,
  };
}

/** The slowest curve that OpenSSL knows by name. */
export function slowCurve(): Forgery {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'sect571r1' });
  const number = (): Buffer => integer(Buffer.concat([Buffer.of(1), randomBytes(70)]));
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    algorithm: '2a8648ce3d040302',
    sign: () => sequence(number(), number()),
    cipherSuite: 0xc02b,
  };
}

/** Returns the first records of a server of TLS 1.2: its hello and this many certificates, each issued by the next. */
export function forgedHandshake({ cipherSuite, ...forgery }: Forgery, certificates: number): Buffer {
  const chain = Array.from({ length: certificates }, (_, index) =>
    certificateOf({ subject: `${index}`, issuer: `${index + 1}`, isAuthority: true, ...forgery }),
  );
  const list = Buffer.concat(chain.flatMap((certificate) => [length(certificate, 3), certificate]));
  // Version, random, no session, suite, no compression, and one extension: of secure renegotiation.
  const hello = Buffer.concat([
    Buffer.of(3, 3),
    randomBytes(32),
    Buffer.of(0, cipherSuite >> 8, cipherSuite & 0xff, 0, 0, 5, 0xff, 1, 0, 1, 0),
  ]);
  return Buffer.concat([...recordsOf(2, hello), ...recordsOf(11, Buffer.concat([length(list, 3), list]))]);
}

/** A message of the handshake, in records of at most 16 KiB. */
function recordsOf(type: number, body: Buffer): Buffer[] {
  const message = Buffer.concat([Buffer.of(type), length(body, 3), body]);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += 16_384) {
    const part = message.subarray(at, at + 16_384);
    records.push(Buffer.of(22, 3, 3), length(part, 2), part);
  }
  return records;
}

function length(bytes: Buffer, size: number): Buffer {
  const field = Buffer.alloc(size);
  field.writeUIntBE(bytes.length, 0, size);
  return field;
}
