import { isUtf8 } from 'node:buffer';
import { refusedLogo, type LogoImage } from './LogoImage';
import { readRaster } from './readRaster';
import { sanitizeSvg } from './svg/sanitizeSvg';

/**
 * Recognises a PNG, JPEG or SVG by its content, whatever type it was declared as; an SVG comes back made safe.
 * @throws {ValidationFailed} when it is something else, damaged, too large in pixels, or an SVG that cannot be made safe.
 */
export function readLogo(bytes: Buffer): LogoImage {
  const raster = readRaster(bytes);
  if (raster !== null) return raster;
  if (!isUtf8(bytes)) throw refusedLogo('must be a PNG, JPEG or SVG image');
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  if (!/^\s*</.test(text)) throw refusedLogo('must be a PNG, JPEG or SVG image');
  return { extension: 'svg', contentType: 'image/svg+xml', bytes: Buffer.from(sanitizeSvg(text), 'utf8') };
}
