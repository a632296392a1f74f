import { refusedLogo } from '../LogoImage';
import { allowedFunctions } from './allowList';

/** No percent-encoding either, which would name an id by other letters. */
const LOCAL_URL = /url\(\s*(["']?)#([^"'()\s\\%]+)\1\s*\)/gi;

export interface CheckedValue {
  /** The very text that was checked: without comments, which a reader of strings may see elsewhere. */
  value: string;
  /** Ids of this file's elements that it refers to. */
  references: string[];
}

/**
 * Checks the CSS of a style sheet or of an attribute's value: no at-rules, no escapes (which could spell either), no function
 * that could load something, and `url()` only of an id of the same file.
 * @returns the ids that it refers to.
 * @throws {ValidationFailed} for anything else.
 */
export function checkStyle(given: string): CheckedValue {
  const css = given.replace(/\/\*[^]*?\*\//g, ' ');
  if (/[@\\<]|\/\*/.test(css)) throw refusedLogo('has a style with an at-rule or an escape, which a logo cannot have');
  for (const [, name = ''] of css.matchAll(/([\w-]*)\s*\(/g)) {
    if (!allowedFunctions.has(name.toLowerCase()))
      throw refusedLogo(`has a style with ${name}(), which a logo cannot have`);
  }
  const references = [...css.matchAll(LOCAL_URL)].map(([, , id = '']) => id);
  if (references.length !== (css.match(/url\s*\(/gi) ?? []).length) {
    throw refusedLogo('refers to something outside of the file; url() can only name an id of it');
  }
  return { value: css, references };
}
