import { setImmediate } from 'node:timers/promises';

/** Bytes of a file that are encoded together. A multiple of 3, so that their base64 can be joined. */
const pieceBytes = 96 * 1024;

/**
 * Returns the JSON of a value in which each string `place` becomes one of the files, in their order and as base64. Between two pieces of a
 * file other work runs: a PDF of 8 MB in one piece would hold the process for 0.2 s. The result is whole, not a stream: where a server
 * responds before it has read everything, and closes, the response is then still read.
 */
export async function jsonWithFiles(value: unknown, place: string, files: readonly Buffer[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (const [index, text] of JSON.stringify(value).split(place).entries()) {
    pieces.push(Buffer.from(text));
    const file = files[index] ?? Buffer.alloc(0);
    for (let at = 0; at < file.length; at += pieceBytes) {
      if (at > 0) await setImmediate();
      pieces.push(Buffer.from(file.toString('base64', at, at + pieceBytes), 'latin1'));
    }
  }
  return Buffer.concat(pieces);
}
