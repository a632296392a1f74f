import sharp from 'sharp';
import { descendants } from '../workers/pdf/processes';
import { svg } from './images';

/** Small files that keep a drawing program busy for minutes, or need more memory than a machine has. */
const uses = (level: number): string =>
  level === 0
    ? '<rect id="u0" width="9" height="9"/>'
    : `${uses(level - 1)}<g id="u${level}">${`<use href="#u${level - 1}"/>`.repeat(10)}</g>`;
const mask = (level: number): string =>
  `<mask id="m${level}">${`<rect width="10" height="10" fill="#fff" mask="url(#m${level - 1})"/>`.repeat(2)}</mask>`;
const selectors = Array.from({ length: 60_000 }, (_, index) => `g g g .a${index}`).join();

export const slowDrawings: Readonly<Record<string, string>> = {
  'references that multiply': svg(uses(10)),
  'masks in masks': svg(
    `${Array.from({ length: 30 }, (_, level) => mask(level)).join('')}<rect width="10" height="10" mask="url(#m29)"/>`,
  ),
  'filters over filters': svg(
    `<filter id="f">${'<feTurbulence baseFrequency="0.9" numOctaves="200"/>'.repeat(50)}</filter>
     <rect width="10" height="10" filter="url(#f)"/>`,
  ),
  '60,000 selectors over 5,000 shapes': svg(
    `<style>${selectors}{fill:red}</style><g><g><g>${'<rect width="9" height="9"/>'.repeat(5_000)}</g></g></g>`,
  ),
};

/** The processes that draw logos for this one. */
export function drawProcesses(): number[] {
  return descendants(process.pid)
    .filter(({ command }) => command.includes('drawProcess'))
    .map(({ pid }) => pid);
}

/** A real JPEG of one colour. */
export function photo(width: number, height: number, orientation = 1): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#2060c0' } })
    .jpeg()
    .withMetadata({ orientation })
    .toBuffer();
}

/** Red, green, blue and opacity (0 to 255) of one pixel, its place given in hundredths of width and height. */
export async function pixelAt(png: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const left = Math.min(Math.floor((info.width * x) / 100), info.width - 1);
  const top = Math.min(Math.floor((info.height * y) / 100), info.height - 1);
  const at = (top * info.width + left) * info.channels;
  return [...data.subarray(at, at + 4)];
}
