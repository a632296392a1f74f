import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { WorkMeter } from '../../../shared/engine/fair';
import { FileWindow } from '../../../shared/receipts/formats/FileWindow';
import { recogniseReceipt, type ReceiptKind } from '../../../shared/receipts/recogniseReceipt';
import { photo } from '../../support/drawings';
import { jpeg, png, webp } from '../../support/images';

const MIB = 1024 * 1024;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'invoicing-receipts-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function recognise(bytes: Buffer, meter = new WorkMeter()): Promise<ReceiptKind> {
  const path = join(folder, 'receipt');
  await writeFile(path, bytes);
  return recogniseReceipt({ path, size: bytes.length, sha256: '', declaredType: null, field: 'file' }, meter);
}

/** A chunk of a PNG; its type begins with a small letter, so that readers may skip it. */
function chunk(data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('skIp'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A segment of a JPEG for an application's data. */
function segment(data: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

function webpWith(chunks: Buffer): Buffer {
  const bytes = Buffer.concat([webp(), chunks]);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  return bytes;
}

const pngWith = (chunks: Buffer): Buffer => Buffer.concat([png().subarray(0, 33), chunks, png().subarray(33)]);
const jpegWith = (segments: Buffer): Buffer => Buffer.concat([jpeg().subarray(0, 8), segments, jpeg().subarray(8)]);
const repeated = (piece: Buffer): Buffer =>
  Buffer.alloc(Math.floor((10 * MIB - 300) / piece.length) * piece.length, piece);

describe('a real picture', () => {
  const colours = { create: { width: 40, height: 30, channels: 4, background: '#12345678' } } as const;

  test.each(['jpeg', 'png', 'webp'] as const)('is recognised as %s', async (format) => {
    expect((await recognise(await sharp(colours).toFormat(format).toBuffer())).contentType).toBe(`image/${format}`);
  });

  test('is recognised in every kind of its format', async () => {
    const image = sharp(colours);
    expect((await recognise(await image.clone().jpeg({ progressive: true }).toBuffer())).name).toBe('JPEG');
    expect((await recognise(await photo(40, 30, 6))).name).toBe('JPEG');
    expect((await recognise(await image.clone().png({ progressive: true, palette: true }).toBuffer())).name).toBe(
      'PNG',
    );
    expect((await recognise(await image.clone().webp({ lossless: true }).toBuffer())).name).toBe('WebP');
    expect((await recognise(await image.clone().withMetadata({ orientation: 3 }).webp().toBuffer())).name).toBe('WebP');
    const onePixel = { create: { ...colours.create, width: 1, height: 1 } };
    expect((await recognise(await sharp(onePixel).webp({ lossless: true }).toBuffer())).name).toBe('WebP');
    const frames = await sharp(await image.clone().gif().toBuffer(), { animated: true })
      .webp({ loop: 1 })
      .toBuffer();
    expect((await recognise(frames)).name).toBe('WebP');
    expect(await recognise(webp(31))).toMatchObject({ name: 'WebP' });
  });
});

describe('a picture of 10 MiB that is made to take long', () => {
  let reads: jest.SpyInstance;
  let waits: jest.SpyInstance;

  beforeEach(async () => {
    const handle = await open(__filename);
    reads = jest.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'read');
    waits = jest.spyOn(FileWindow.prototype, 'bytes');
    await handle.close();
  });

  function expectFewSteps(): void {
    expect(reads.mock.calls.length).toBeLessThan(500);
    expect(waits.mock.calls.length).toBeLessThan(1_000);
  }

  const fill = Buffer.alloc(10 * MIB - 300, 0xff);
  test.each([
    ['a JPEG of fill bytes', jpegWith(fill), 'JPEG'],
    ['a JPEG of 160 full segments', jpegWith(repeated(segment(Buffer.alloc(65_533, 7)))), 'JPEG'],
    ['a PNG of chunks as long as a piece', pngWith(repeated(chunk(Buffer.alloc(64 * 1024, 7)))), 'PNG'],
    ['a PNG of chunks of 4 KiB, as ffmpeg writes it', pngWith(repeated(chunk(Buffer.alloc(4_096, 7)))), 'PNG'],
    ['a PNG of one chunk', pngWith(chunk(Buffer.alloc(10 * MIB - 300, 7))), 'PNG'],
  ])('%s › is read in few pieces, and waited for about once a piece', async (_what, bytes, name) => {
    expect(await recognise(bytes)).toMatchObject({ name });
    expectFewSteps();
  });

  test.each([
    ['a JPEG of 2 million empty segments', jpegWith(repeated(segment(Buffer.alloc(0))))],
    ['a JPEG of segments with a fill byte each', jpegWith(repeated(Buffer.from([0xff, 0xff, 0xe1, 0, 2])))],
    ['a PNG of 800,000 empty chunks', pngWith(repeated(chunk(Buffer.alloc(0))))],
    ['a PNG of 3,100 empty chunks', pngWith(repeated(chunk(Buffer.alloc(0))).subarray(0, 3_100 * 12))],
    ['a WebP of a million empty chunks', webpWith(repeated(Buffer.from('EXIF\0\0\0\0')))],
  ])('%s › is refused long before its end', async (_what, bytes) => {
    await expect(recognise(bytes)).rejects.toThrow('damaged');
    expect(reads.mock.calls.length).toBeLessThan(10);
  });
});

test('what looking through a picture takes › counts for its request, whatever else runs between its reads', async () => {
  const loop = { idle: 1_000, active: 1_000, utilization: 0 };
  jest.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({ ...loop }));
  const { held } = FileWindow.prototype as { held: (this: FileWindow, at: number, length: number) => Buffer | null };
  let steps = 0;
  jest.spyOn(FileWindow.prototype, 'held').mockImplementation(function (this: FileWindow, at, length) {
    loop.active += 1;
    steps += 1;
    return held.call(this, at, length);
  });
  const handle = await open(__filename);
  const files = Object.getPrototypeOf(handle) as Record<'read', (...args: unknown[]) => Promise<unknown>>;
  await handle.close();
  const runsAnother = (): void => {
    new WorkMeter().start();
    loop.active += 1_000;
  };
  const { read } = files;
  jest.spyOn(files, 'read').mockImplementation(async function (this: unknown, ...args) {
    const result = await read.apply(this, args);
    runsAnother();
    return result;
  });
  const meter = new WorkMeter();
  meter.start();
  expect(await recognise(pngWith(repeated(chunk(Buffer.alloc(8_192, 7)))), meter)).toMatchObject({ name: 'PNG' });
  runsAnother();
  expect(steps).toBeGreaterThan(1_000);
  expect(meter.stop()).toBe(2 * steps);
});
