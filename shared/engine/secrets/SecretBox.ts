import { hash } from 'node:crypto';
import { SecretsUnavailable } from '../errors';
import { openText, sealText } from './sealing';

/** Between the id of the key and the sealed text. */
const SEPARATOR = '.';

/** Encrypts the secrets that the database holds, with the keys of `SECRETS_KEY`. */
export class SecretBox {
  private readonly keys: ReadonlyMap<string, Buffer>;

  /** @param keys in base64: the first seals, all of them open */
  constructor(keys: readonly string[]) {
    this.keys = new Map(keys.map((key) => [keyIdOf(key), Buffer.from(key, 'base64')]));
  }

  /**
   * Encrypts a secret. The result begins with the id of the key.
   * @throws {SecretsUnavailable} when there is no key.
   */
  seal(text: string): string {
    const [first] = this.keys;
    if (first === undefined) throw new SecretsUnavailable('SECRETS_KEY is not set: secrets cannot be stored');
    const [keyId, key] = first;
    return `${keyId}${SEPARATOR}${sealText(key, text)}`;
  }

  /**
   * Decrypts a result of {@link seal}.
   * @throws {SecretsUnavailable} when none of the keys has sealed it, or it was altered.
   */
  open(sealed: string): string {
    const [keyId = '', sealedText = ''] = sealed.split(SEPARATOR);
    const key = this.keys.get(keyId);
    if (key === undefined) throw new SecretsUnavailable('SECRETS_KEY lacks the key of a stored secret');
    const text = openText(key, sealedText);
    if (text === null) throw new SecretsUnavailable('a stored secret was altered');
    return text;
  }

  /** Tests whether the first key has sealed it. */
  isSealedByFirst(sealed: string): boolean {
    const [firstId] = this.keys.keys();
    return sealed.split(SEPARATOR)[0] === firstId;
  }
}

/** Recognises a key without revealing it: 32 bits of the hash of its 256. */
function keyIdOf(key: string): string {
  return hash('sha256', `id of ${key}`, 'hex').slice(0, 8);
}
