import { ValidationFailed } from '../engine/errors';
import type { WorkMeter } from '../engine/fair';
import type { Upload } from '../engine/files';
import { FileWindow } from './formats/FileWindow';
import { pixelsOfJpeg } from './formats/jpeg';
import { isWholePdf } from './formats/pdf';
import { pixelsOfPng } from './formats/png';
import { pixelsOfWebp } from './formats/webp';

/** What a receipt can be. */
export interface ReceiptKind {
  readonly name: string;
  readonly extension: 'jpg' | 'png' | 'webp' | 'pdf';
  readonly contentType: 'image/jpeg' | 'image/png' | 'image/webp' | 'application/pdf';
  /** What else clients call it. */
  readonly aliases: readonly string[];
  /** Decides by the first bytes. */
  begins(head: string): boolean;
  /** Returns the pixels of a whole file (0 for a PDF), or null when it is damaged or cut off. */
  pixels(file: FileWindow): Promise<number | null>;
}

/** A scan of an A3 page at 1,000 dpi has as many. A file of a few bytes can claim 2^62, which no reader survives. */
const MAX_MEGAPIXELS = 200;

const kinds: readonly ReceiptKind[] = [
  {
    name: 'JPEG',
    extension: 'jpg',
    contentType: 'image/jpeg',
    aliases: ['image/jpg', 'image/pjpeg'],
    begins: (head) => head.startsWith('\xff\xd8\xff'),
    pixels: pixelsOfJpeg,
  },
  {
    name: 'PNG',
    extension: 'png',
    contentType: 'image/png',
    aliases: ['image/x-png'],
    begins: (head) => head.startsWith('\x89PNG\r\n\x1a\n'),
    pixels: pixelsOfPng,
  },
  {
    name: 'WebP',
    extension: 'webp',
    contentType: 'image/webp',
    aliases: [],
    begins: (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP',
    pixels: pixelsOfWebp,
  },
  {
    name: 'PDF',
    extension: 'pdf',
    contentType: 'application/pdf',
    aliases: ['application/x-pdf'],
    // At the very start, though readers look further: what comes before could be a page or a script.
    begins: (head) => head.startsWith('%PDF-'),
    pixels: async (file) => ((await isWholePdf(file)) ? 0 : null),
  },
];

/** Types that say nothing. */
const unspecific: readonly (string | null)[] = [null, 'application/octet-stream', 'binary/octet-stream'];

type ReceiptUpload = Omit<Upload, 'fields'>;

/** What uploads are, as it was found at first. */
const recognised = new WeakMap<ReceiptUpload, Promise<ReceiptKind>>();

/**
 * Returns what an upload is by its content, which is read once, however often this is called. Nothing is decoded, which is the work of other
 * programs: a progressive JPEG of 1 MB can take 650 MB, and the header that a decoder reads does not say whether the file was cut off.
 * @throws {ValidationFailed} at its field when it is none of the four, is damaged, has too many pixels, or was declared as
 * something else.
 */
export function recogniseReceipt(upload: ReceiptUpload, meter: WorkMeter): Promise<ReceiptKind> {
  const kind = recognised.get(upload) ?? recognise(upload, meter);
  recognised.set(upload, kind);
  return kind;
}

function recognise({ path, field, declaredType }: ReceiptUpload, meter: WorkMeter): Promise<ReceiptKind> {
  return FileWindow.over(path, meter, async (file) => {
    const head = (await file.bytes(0, 16)).toString('latin1');
    const kind = kinds.find((one) => one.begins(head));
    if (kind === undefined) throw ValidationFailed.at(field, 'must be a JPEG, PNG, WebP or PDF');
    if (!unspecific.includes(declaredType) && ![kind.contentType, ...kind.aliases].includes(declaredType ?? '')) {
      throw ValidationFailed.at(field, `is a ${kind.name} and was declared as something else`);
    }
    const pixels = await kind.pixels(file);
    if (pixels === null) throw ValidationFailed.at(field, `is a ${kind.name} that is damaged or cut off`);
    if (pixels > MAX_MEGAPIXELS * 1_000_000) {
      throw ValidationFailed.at(field, `is a ${kind.name} of more than ${MAX_MEGAPIXELS} megapixels`);
    }
    return kind;
  });
}
