const NODE = /^\(node(\d{8})\)/;
const NODE_BYTES = '(node00000000)'.length;
const TIMES = ['/CreationDate (', '/ModDate ('];

/**
 * Makes two prints of one document identical, by changing the PDF in place. The times of printing become spaces. The ids of tags,
 * which are node numbers of the browser, are renumbered from 1 in the same order.
 */
export function reproducible(pdf: Buffer): Buffer {
  for (const time of TIMES) blank(pdf, pdf.indexOf(time));
  const ids = nodeIds(pdf);
  const counted = new Map(
    [...new Set(ids.values())].sort().map((id, index) => [id, String(index + 1).padStart(8, '0')]),
  );
  for (const [at, id] of ids) pdf.write(`(node${counted.get(id)})`, at, 'latin1');
  return pdf;
}

/** Overwrites an entry of a dictionary with spaces, which are ignored there (ISO 32000-1, 7.2.2). */
function blank(pdf: Buffer, from: number): void {
  if (from >= 0) pdf.fill(' ', from, pdf.indexOf(')', from) + 1);
}

/** Returns the node ids by their offset in the file, in order. */
function nodeIds(pdf: Buffer): Map<number, string> {
  const ids = new Map<number, string>();
  for (let at = pdf.indexOf('(node'); at >= 0; at = pdf.indexOf('(node', at + 1)) {
    const id = NODE.exec(pdf.toString('latin1', at, at + NODE_BYTES))?.[1];
    if (id !== undefined) ids.set(at, id);
  }
  return ids;
}
