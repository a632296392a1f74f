import { create } from 'qrcode';

/** Longer addresses make a code that a phone cannot read from paper. */
const longest = 600;
/** Light modules around the code that readers need. Source: ISO/IEC 18004, 9.1. */
const quietZone = 4;

/**
 * Returns a payment link as a QR code: the side of a square in modules, and an SVG path of its dark modules, one module a unit. Null if the
 * address is too long to be scanned from paper.
 */
export function paymentQrCode(url: string): { side: number; path: string } | null {
  if (Buffer.byteLength(url) > longest) return null;
  const { modules } = create(url, { errorCorrectionLevel: 'M' });
  let path = '';
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      const start = column;
      while (column < modules.size && modules.get(row, column) === 1) column++;
      if (column > start) path += `M${start + quietZone} ${row + quietZone}h${column - start}v1h-${column - start}z`;
    }
  }
  return { side: modules.size + 2 * quietZone, path };
}
