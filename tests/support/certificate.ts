import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** As PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

/** Makes a certificate of P-256 for a host name or an IPv4 address. It is signed by itself, and valid for a day. */
export function selfSigned(host: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(objectId.commonName, der(0x0c, Buffer.from(host)))));
  const alternative = isIPv4(host)
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host, 'latin1'));
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    sequence(objectId.ecdsaWithSha256),
    name,
    sequence(utcTime(-12), utcTime(12)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        // A client that trusts it takes it as its own authority.
        sequence(objectId.basicConstraints, der(0x04, sequence(der(0x01, Buffer.from([0xff]))))),
        sequence(objectId.subjectAltName, der(0x04, sequence(alternative))),
      ),
    ),
  );
  const signature = createSign('sha256').update(toSign).sign(privateKey);
  const signed = sequence(
    toSign,
    sequence(objectId.ecdsaWithSha256),
    der(0x03, Buffer.concat([Buffer.of(0), signature])),
  );
  const lines = signed.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** A tag, the length and the contents, as X.690 (DER) writes them. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...contents: Buffer[]): Buffer {
  return der(0x30, ...contents);
}

/** `YYMMDDhhmmssZ`, so many hours from now. */
function utcTime(hours: number): Buffer {
  const digits = new Date(Date.now() + hours * 3_600_000).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

const objectId = {
  commonName: der(0x06, Buffer.from('550403', 'hex')),
  basicConstraints: der(0x06, Buffer.from('551d13', 'hex')),
  subjectAltName: der(0x06, Buffer.from('551d11', 'hex')),
  ecdsaWithSha256: der(0x06, Buffer.from('2a8648ce3d040302', 'hex')),
};
