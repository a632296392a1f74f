import sharp from 'sharp';
import { descendants } from '../workers/pdf/processes';
import { svg } from './images';

const uses = (level: number): string =>
  level === 0
    ? '<rect id="u0" width="9" height="9"/>'
    : `${uses(level - 1)}<g id="u${level}">${`<use href="#u${level - 1}"/>`.repeat(10)}</g>`;

/** A small file that keeps a drawing program busy for minutes: references that multiply. */
export const slowDrawing = svg(uses(10));

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
