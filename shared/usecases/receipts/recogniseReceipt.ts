import { ValidationFailed } from '../../errors';
import { FileWindow } from '../../files/FileWindow';
import type { Upload } from '../../files/Upload';
import { isWholeJpeg, isWholePdf, isWholePng, isWholeWebp } from './isWhole';

/** What a receipt can be. */
export interface ReceiptKind {
  readonly name: string;
  readonly extension: 'jpg' | 'png' | 'webp' | 'pdf';
  readonly contentType: 'image/jpeg' | 'image/png' | 'image/webp' | 'application/pdf';
  /** What else clients call it. */
  readonly aliases: readonly string[];
  /** Decides by the first bytes. */
  begins(head: string): boolean;
  isWhole(file: FileWindow): Promise<boolean>;
}

const kinds: readonly ReceiptKind[] = [
  {
    name: 'JPEG',
    extension: 'jpg',
    contentType: 'image/jpeg',
    aliases: ['image/jpg', 'image/pjpeg'],
    begins: (head) => head.startsWith('\xff\xd8\xff'),
    isWhole: isWholeJpeg,
  },
  {
    name: 'PNG',
    extension: 'png',
    contentType: 'image/png',
    aliases: ['image/x-png'],
    begins: (head) => head.startsWith('\x89PNG\r\n\x1a\n'),
    isWhole: isWholePng,
  },
  {
    name: 'WebP',
    extension: 'webp',
    contentType: 'image/webp',
    aliases: [],
    begins: (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP',
    isWhole: isWholeWebp,
  },
  {
    name: 'PDF',
    extension: 'pdf',
    contentType: 'application/pdf',
    aliases: ['application/x-pdf'],
    // At the very start, though readers look further: what comes before could be a page or a script.
    begins: (head) => head.startsWith('%PDF-'),
    isWhole: isWholePdf,
  },
];

/** Types that say nothing. */
const unspecific: readonly (string | null)[] = [null, 'application/octet-stream', 'binary/octet-stream'];

/**
 * What an upload is by its content, read in small pieces.
 * @throws {ValidationFailed} at its field when it is none of the four, is cut off, or was declared as something else.
 */
export function recogniseReceipt({ path, field, declaredType }: Upload): Promise<ReceiptKind> {
  return FileWindow.over(path, async (file) => {
    const head = (await file.bytes(0, 16)).toString('latin1');
    const kind = kinds.find((one) => one.begins(head));
    if (kind === undefined) throw ValidationFailed.at(field, 'must be a JPEG, PNG, WebP or PDF');
    if (!unspecific.includes(declaredType) && ![kind.contentType, ...kind.aliases].includes(declaredType ?? '')) {
      throw ValidationFailed.at(field, `is a ${kind.name} and was declared as something else`);
    }
    if (!(await kind.isWhole(file))) throw ValidationFailed.at(field, `is a ${kind.name} that is damaged or cut off`);
    return kind;
  });
}
