/**
 * Reads a PDF from standard input and prints, as JSON, each page's text, its fonts and whether they are embedded, and how
 * many characters were drawn as the empty box (glyph 0). A program of its own because pdfjs-dist is an ES module only.
 */
import { readFileSync } from 'node:fs';
import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';

const pdf = await getDocument({ data: new Uint8Array(readFileSync(0)), verbosity: 0, useSystemFonts: false }).promise;
const { info } = await pdf.getMetadata();
const pages = [];
const fonts = new Map();
let missingGlyphs = 0;
for (let number = 1; number <= pdf.numPages; number++) {
  const page = await pdf.getPage(number);
  const content = await page.getTextContent();
  const { fnArray, argsArray } = await page.getOperatorList();
  fnArray.forEach((operation, index) => {
    if (operation === OPS.setFont) {
      const font = page.commonObjs.get(argsArray[index][0]);
      fonts.set(font.name, !font.missingFile);
    }
    if (operation === OPS.showText) {
      missingGlyphs += argsArray[index][0].filter((glyph) => glyph.originalCharCode === 0).length;
    }
  });
  const items = content.items.map((item) => ({
    text: item.str,
    right: item.transform[4] + item.width,
    bottom: item.transform[5],
  }));
  pages.push({
    text: content.items.map((item) => item.str + (item.hasEOL ? '\n' : '')).join(''),
    width: page.view[2],
    right: Math.max(...items.map((item) => item.right)),
    bottom: Math.min(...items.map((item) => item.bottom)),
  });
}
process.stdout.write(
  JSON.stringify({
    title: info.Title,
    pages,
    fonts: [...fonts].map(([name, embedded]) => ({ name, embedded })),
    missingGlyphs,
  }),
);
