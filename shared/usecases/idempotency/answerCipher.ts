import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** How an answer that shows a secret is kept. */
export interface AnswerCipher {
  seal(text: string): string;
  /** Null when the text was sealed with another token, or altered. */
  open(sealed: string): string | null;
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals with a key made from the API token of the request, which we do not have: whoever reads the database learns nothing
 * (no more than the token's hash there tells), and only the caller who asked can have the answer again.
 */
export function answerCipher(apiToken: string): AnswerCipher {
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
        // The authentication tag does not match; node:crypto has no other way to say so.
        return null;
      }
    },
  };
}
