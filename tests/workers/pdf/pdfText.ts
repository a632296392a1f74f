import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What a reader finds in a PDF. Lengths in points, from the page's lower left corner. */
export interface ReadPdf {
  title: string;
  language: string;
  /** Viewers show the title in the place of the file's name. */
  showsTitle: boolean;
  pages: {
    /** In the order in which it is drawn. */
    text: string;
    /** In the order of the tags, as a screen reader says it. */
    spoken: string;
    items: { text: string; left: number; right: number }[];
    images: { width: number; height: number }[];
    width: number;
    right: number;
    bottom: number;
  }[];
  fonts: { name: string; embedded: boolean }[];
  /** Characters drawn as the empty box. */
  missingGlyphs: number;
}

/** Reads a PDF with pdfjs, in a process of its own. */
export async function readPdf(pdf: Buffer): Promise<ReadPdf> {
  const reading = promisify(execFile)(process.execPath, [join(__dirname, 'readPdf.mjs')], {
    maxBuffer: 64 * 1024 * 1024,
  });
  reading.child.stdin?.end(pdf);
  return JSON.parse((await reading).stdout) as ReadPdf;
}
