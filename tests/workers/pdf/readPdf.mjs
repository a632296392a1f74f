/** Reads the PDFs that it is sent, as the `ReadPdf` of pdfText.ts. A process of its own because pdf.js is an ES module only. */
import { getDocument, OPS, Util } from 'unpdf/pdfjs';

// pdf.js uses them, and Node.js has them from version 22 on.
ArrayBuffer.prototype.transfer ??= function (length = this.byteLength) {
  const copy = new ArrayBuffer(length);
  new Uint8Array(copy).set(new Uint8Array(this, 0, Math.min(length, this.byteLength)));
  return copy;
};
ArrayBuffer.prototype.transferToFixedLength ??= ArrayBuffer.prototype.transfer;

process.on('disconnect', () => process.exit());
process.on('message', ({ id, pdf }) => {
  read(new Uint8Array(pdf)).then(
    (result) => process.send({ id, result }),
    (error) => process.send({ id, failure: String(error) }),
  );
});

async function read(data) {
  const task = getDocument({ data, verbosity: 0, useSystemFonts: false, stopAtErrors: true });
  const pdf = await task.promise;
  const { info } = await pdf.getMetadata();
  const preferences = await pdf.getViewerPreferences();
  const pages = [];
  const fonts = new Map();
  let missingGlyphs = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const content = await page.getTextContent();
    const tree = await page.getStructTree();
    const marked = textsById(await page.getTextContent({ includeMarkedContent: true }));
    const images = [];
    let [matrix, saved] = [[1, 0, 0, 1, 0, 0], []];
    const { fnArray, argsArray } = await page.getOperatorList();
    for (const [index, operation] of fnArray.entries()) {
      if (operation === OPS.setFont) {
        const font = await new Promise((resolve) => page.commonObjs.get(argsArray[index][0], resolve));
        fonts.set(font.name, !font.missingFile);
      }
      if (operation === OPS.save) saved.push(matrix);
      if (operation === OPS.restore) matrix = saved.pop();
      if (operation === OPS.transform) matrix = Util.transform(matrix, argsArray[index]);
      if (operation === OPS.paintImageXObject) images.push({ width: Math.abs(matrix[0]), height: Math.abs(matrix[3]) });
      if (operation === OPS.showText) {
        missingGlyphs += argsArray[index][0].filter((glyph) => glyph.originalCharCode === 0).length;
      }
    }
    const items = content.items.map((item) => ({
      text: item.str,
      left: item.transform[4],
      right: item.transform[4] + item.width,
      bottom: item.transform[5],
    }));
    pages.push({
      text: content.items.map((item) => item.str + (item.hasEOL ? '\n' : '')).join(''),
      spoken: tree === null ? '' : inOrder(tree, marked),
      items,
      images,
      width: page.view[2],
      right: Math.max(...items.map((item) => item.right)),
      bottom: Math.min(...items.map((item) => item.bottom)),
    });
  }
  await task.destroy();
  return {
    title: info.Title,
    language: info.Language,
    showsTitle: preferences?.DisplayDocTitle === true,
    pages,
    fonts: [...fonts].map(([name, embedded]) => ({ name, embedded })),
    missingGlyphs,
  };
}

/** The text of each piece of content that a tag can point to. */
function textsById({ items }) {
  const texts = new Map();
  const open = [];
  for (const item of items) {
    if (item.type === 'endMarkedContent') open.pop();
    else if (item.type !== undefined) open.push(item.id);
    else if (open.at(-1)) texts.set(open.at(-1), (texts.get(open.at(-1)) ?? '') + item.str);
  }
  return texts;
}

function inOrder(node, texts) {
  if (node.type === 'content') return texts.get(node.id) ?? '';
  return (node.children ?? []).map((child) => inOrder(child, texts)).join(' ');
}
