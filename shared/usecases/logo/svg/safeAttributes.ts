import type { SaxesAttributeNS } from 'saxes';
import { refusedLogo } from '../LogoImage';
import { readRaster } from '../readRaster';
import { allowedAttributes, refersByHref } from './allowList';
import { checkStyle, type CheckedValue } from './checkStyle';

const XLINK = 'http://www.w3.org/1999/xlink';
const XML = 'http://www.w3.org/XML/1998/namespace';
const DATA_IMAGE = /^data:image\/(?:png|jpe?g);base64,([A-Za-z0-9+/=\s]+)$/;

export interface SafeAttributes {
  id: string | undefined;
  /** ` name="value"` for each that stays. */
  text: string;
  /** Ids of this file's elements that the attributes refer to. */
  references: string[];
}

/**
 * The attributes of one element that are on the allow-list; `xlink:href` becomes `href`. Others are left out.
 * @throws {ValidationFailed} when one that draws something refers out of the file.
 */
export function safeAttributes(element: string, attributes: readonly SaxesAttributeNS[]): SafeAttributes {
  const kept = new Map<string, string>();
  const references: string[] = [];
  for (const { uri, local, value } of attributes) {
    if (uri === XML && local === 'space') kept.set('xml:space', value);
    if (local === 'href' && !refersByHref.has(element)) continue;
    if ((uri !== '' && !(uri === XLINK && local === 'href')) || !allowedAttributes.has(local)) continue;
    if (local === 'id' || local === 'class') {
      kept.set(local, value);
    } else {
      const checked = local === 'href' ? checkHref(element, value.trim()) : checkStyle(value);
      kept.set(local, checked.value);
      references.push(...checked.references);
    }
  }
  const text = [...kept].map(([name, value]) => ` ${name}="${escapeXml(value)}"`).join('');
  return { id: kept.get('id'), text, references };
}

/** An id of this file, or (on pictures) a PNG or JPEG that is here as data and really is one. */
function checkHref(element: string, href: string): CheckedValue {
  if (/^#[^\s#%]+$/.test(href)) return { value: href, references: [href.slice(1)] };
  const data = element === 'image' ? DATA_IMAGE.exec(href)?.[1] : undefined;
  if (data === undefined || readRaster(Buffer.from(data, 'base64')) === null) {
    throw refusedLogo(
      'refers to something outside of the file; only #ids, and PNG or JPEG pictures as data, can be used',
    );
  }
  return { value: href, references: [] };
}

/** An attribute's value as XML, with the white space that a parser would else turn into spaces. */
function escapeXml(value: string): string {
  return value.replace(/[<>&"\t\n\r]/g, (char) => escapes[char] ?? char);
}

/** Text between tags as XML. */
export function escapeText(text: string): string {
  return text.replace(/[<>&\r]/g, (char) => escapes[char] ?? char);
}

const escapes: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
