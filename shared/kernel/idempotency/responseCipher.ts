import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts a stored response that shows a secret. */
export interface ResponseCipher {
  seal(text: string): string;
  /** Returns null when the text was sealed with another token, or altered. */
  open(sealed: string): string | null;
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates a cipher whose key is derived from the API token of the request. The service stores only a hash of the token, so the
 * database alone does not reveal the response, and only the same caller can get it again.
 */
export function responseCipher(apiToken: string): ResponseCipher {
  const key = Buffer.from(hkdfSync('sha256', apiToken, '', 'stored idempotent answer', 32));
  return {
    seal: (text) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        // The authentication tag does not match; node:crypto reports that only by throwing.
        return null;
      }
    },
  };
}
