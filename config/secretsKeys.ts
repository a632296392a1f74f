import { splitList, type Kind } from './kinds';

/** 32 bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{43}=$/;

const values = '32 random bytes in base64, of `openssl rand -base64 32`; several with commas between them';

/** Keys in base64 that encrypt secrets in the database. */
export const secretsKeys: Kind<readonly string[]> = {
  values,
  read: (given) => {
    const keys = splitList(given);
    if (!keys.every((key) => KEY.test(key))) throw new RangeError(`is not valid; expected ${values}`);
    return keys;
  },
};
