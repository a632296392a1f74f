import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** What a reader finds in a PDF. Lengths in points, from the page's lower left corner. */
export interface ReadPdf {
  title: string;
  pages: { text: string; width: number; right: number; bottom: number }[];
  fonts: { name: string; embedded: boolean }[];
  /** Characters drawn as the empty box. */
  missingGlyphs: number;
}

/** Reads a PDF with pdfjs, in a process of its own. */
export function readPdf(pdf: Buffer): Promise<ReadPdf> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 64 * 1024 * 1024 };
    const reader = execFile(process.execPath, [join(__dirname, 'readPdf.mjs')], options, (error, stdout) => {
      if (error) reject(error);
      else resolve(JSON.parse(stdout) as ReadPdf);
    });
    reader.stdin?.end(pdf);
  });
}
