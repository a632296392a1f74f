import { readJpegSize } from './readJpegSize';
import { readPng } from './readPng';
import { MAX_PIXELS_A_SIDE, refusedLogo, type LogoImage } from './LogoImage';

/**
 * A PNG or JPEG of bounded size, or null for bytes that are neither.
 * @throws {ValidationFailed} when it is damaged or has too many pixels.
 */
export function readRaster(bytes: Buffer): LogoImage | null {
  const png = readPng(bytes);
  if (png !== null) {
    checkSize(png);
    return { extension: 'png', contentType: 'image/png', bytes: png.bytes };
  }
  const jpeg = readJpegSize(bytes);
  if (jpeg === null) return null;
  checkSize(jpeg);
  return { extension: 'jpg', contentType: 'image/jpeg', bytes };
}

function checkSize({ width, height }: { width: number; height: number }): void {
  if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_PIXELS_A_SIDE) {
    throw refusedLogo(`must have 1 to ${MAX_PIXELS_A_SIDE} pixels a side; it has ${width} × ${height}`);
  }
}
