import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { certificateOf, der } from '../../dev/certificates/certificateOf';

/** As PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

const ECDSA_WITH_SHA256 = '2a8648ce3d040302';

/** Makes a certificate of P-256 for a host name or an IPv4 address. It is signed by itself, and valid for a day. */
export function selfSigned(host: string): Certificate {
  const { publicKey, privateKey } = newKeys();
  // A client that trusts it takes it as its own authority.
  return { key: pemOf(privateKey), cert: certificate(host, host, publicKey, privateKey, { isAuthority: true, host }) };
}

/**
 * Makes a certificate of P-256 for a host name, and those of `authorities` others, each of which has signed the one before it. The last
 * one is signed by itself: it is what clients trust, and no part of `cert`.
 */
export function issuedBy(authorities: number, host: string): Certificate & { trusted: string } {
  const [server, authority] = [newKeys(), newKeys()];
  const name = (index: number): string => `authority ${Math.min(index, authorities - 1)}`;
  const isAuthority = true;
  const certs = Array.from({ length: authorities }, (_, index) =>
    certificate(name(index), name(index + 1), authority.publicKey, authority.privateKey, { isAuthority }),
  );
  const trusted = certs.pop() ?? '';
  const own = certificate(host, name(0), server.publicKey, authority.privateKey, { isAuthority: false, host });
  return { key: pemOf(server.privateKey), cert: [own, ...certs].join(''), trusted };
}

const newKeys = (): { publicKey: KeyObject; privateKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' });

function certificate(
  subject: string,
  issuer: string,
  publicKey: KeyObject,
  signedBy: KeyObject,
  { isAuthority, host }: { isAuthority: boolean; host?: string },
): string {
  const signed = certificateOf({
    ...{ subject, issuer, isAuthority, algorithm: ECDSA_WITH_SHA256 },
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    sign: (toSign) => createSign('sha256').update(toSign).sign(signedBy),
    ...(host === undefined ? {} : { alternativeName: nameOf(host) }),
  });
  const lines = signed.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

const nameOf = (host: string): Buffer =>
  isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host, 'latin1'));

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;
