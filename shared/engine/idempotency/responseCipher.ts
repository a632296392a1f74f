import { hkdfSync } from 'node:crypto';
import { openText, SEALING_KEY_BYTES, sealText } from '../secrets';

/** Encrypts a stored response that shows a secret. */
export interface ResponseCipher {
  seal(text: string): string;
  /** Returns null when the text was sealed with another token, or altered. */
  open(sealed: string): string | null;
}

/**
 * Creates a cipher whose key is derived from the API token of the request. The service stores only a hash of the token, so the
 * database alone does not reveal the response, and only the same caller can get it again.
 */
export function responseCipher(apiToken: string): ResponseCipher {
  const key = Buffer.from(hkdfSync('sha256', apiToken, '', 'stored idempotent answer', SEALING_KEY_BYTES));
  return { seal: (text) => sealText(key, text), open: (sealed) => openText(key, sealed) };
}
