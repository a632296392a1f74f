import { createPublicKey } from 'node:crypto';
import type { Kind } from './kinds';

const values = 'the verification key that SendGrid shows, base64: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE…';

/** Nothing, or the public key of SendGrid's Signed Event Webhook: base64 of DER, ECDSA on the curve P-256. */
export const sendgridKey: Kind<string> = {
  values,
  read: (given) => {
    if (given === '' || isKey(given)) return given;
    throw new RangeError(`is not a public key of ECDSA with P-256; expected ${values}`);
  },
};

function isKey(given: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(given, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    // OpenSSL's errors have no common type. Each means that the text is no key.
    return false;
  }
}
