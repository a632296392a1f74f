import { buffer } from 'node:stream/consumers';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { goAfterOthers } from '../../engine/process';
import { REFUSED } from './drawLogo';

/**
 * A process of its own: reads an image from stdin and writes it to stdout as a PNG that fits the place of an invoice's logo. Ends with the
 * code {@link REFUSED}, and the reason on stdout, for input that is not a logo. `drawLogo` starts it under limits of time and memory: files
 * of any content reach decoders only here.
 */

/** 70 × 22 mm, the logo's place on an invoice, at 24 pixels a millimetre (610 dpi). */
const BOX = { width: 1680, height: 528 };
/** It is put into every PDF of the company, which takes a worker 5 ms for 100 kB. Pure noise of a sixteenth of the box's pixels has less. */
const MAX_BYTES = 512 * 1024;
const MAX_PIXELS_A_SIDE = 4096;
/** The density at which drawings are measured; fine enough for the proportions of one of 1 × 0.5 pixels. */
const COARSE_DPI = 72;
const FINE_DPI = 720;

class Refused extends Error {}

/** Below the process that started this one, which has other requests. */
goAfterOthers(5);
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadSvgBuffer'],
});

buffer(process.stdin)
  .then(draw)
  .catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
    process.exitCode = REFUSED;
    return error.message;
  })
  .then((result) => process.stdout.end(result))
  .catch((error: unknown) => {
    process.exitCode = 1;
    process.stderr.write(String(error));
  });

async function draw(image: Buffer): Promise<Buffer> {
  const opened = await openImage(image);
  const drawn = await fitted(opened, BOX).catch((error: unknown) => {
    throw new Refused('is damaged, or has nothing that can be drawn', { cause: error });
  });
  await requireVisible(drawn);
  let kept = drawn;
  for (let part = 2; kept.length > MAX_BYTES; part *= 2) {
    kept = await fitted(sharp(drawn), { width: BOX.width / part, height: BOX.height / part });
  }
  return kept;
}

async function openImage(image: Buffer): Promise<Sharp> {
  const metadata = await measure(image, FINE_DPI);
  if (metadata.format === 'svg') return openDrawing(image, metadata);
  const { width, height } = metadata;
  if (Math.max(width, height) > MAX_PIXELS_A_SIDE) {
    throw new Refused(`must have 1 to ${MAX_PIXELS_A_SIDE} pixels a side; it has ${width} × ${height}`);
  }
  return sharp(image);
}

/**
 * Opens an SVG so that it fills the box, whatever its own size is. Its pixels grow with the density; those of a size in millimetres or
 * inches with the square of it, since libvips and librsvg multiply by it.
 */
async function openDrawing(image: Buffer, { width, height }: Metadata): Promise<Sharp> {
  const coarse = await measure(image, COARSE_DPI);
  const growth = Math.log(width / coarse.width) / Math.log(FINE_DPI / COARSE_DPI);
  const scale = Math.min(BOX.width / width, BOX.height / height);
  const density = FINE_DPI * (growth > 1.5 ? Math.sqrt(scale) : scale);
  return sharp(image, {
    density: Math.min(Math.max(density, 1), 100_000),
    limitInputPixels: MAX_PIXELS_A_SIDE ** 2,
  });
}

/** Reads the header only. */
async function measure(image: Buffer, density: number): Promise<Metadata> {
  try {
    return await sharp(image, { density, limitInputPixels: false }).metadata();
  } catch (error) {
    throw new Refused('must be a PNG, JPEG or SVG image that is not damaged', { cause: error });
  }
}

/** Turned as its EXIF says, in sRGB, without metadata; never enlarged. */
function fitted(image: Sharp, box: { width: number; height: number }): Promise<Buffer> {
  return image
    .autoOrient()
    .resize({ ...box, fit: 'inside', withoutEnlargement: true })
    .png({ compressionLevel: 9 })
    .toBuffer();
}

async function requireVisible(png: Buffer): Promise<void> {
  const { hasAlpha = false } = await sharp(png).metadata();
  const { channels } = await sharp(png).stats();
  if (hasAlpha && channels[channels.length - 1]?.max === 0) {
    throw new Refused('shows nothing: everything in it is transparent or refers to other files');
  }
}
