import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { ignoreBody } from '../../shared/engine/http';

/** Bytes of a response body that are kept. */
const KEPT = 1_024;
/** Pieces that they may come in: a server chooses the size of its chunks, and each costs as much as several hundred bytes. */
const MOST_PIECES = 64;
/** The time-out of the body. The status alone decides the outcome. */
const BODY_MS = 1_000;

/**
 * Returns the first 1,024 bytes of a body as text, not decompressed. Closes the connection of a body that comes in many small pieces, or
 * takes longer than a second. Never throws.
 */
export function readStart(response: IncomingMessage): Promise<string> {
  const { socket } = response;
  const kept: Buffer[] = [];
  let read = 0;
  let pieces = 0;
  // Node.js pushes all chunks that it has read before the stream emits the first one.
  const push = response.push.bind(response);
  response.push = (chunk: Buffer | null) => {
    pieces += 1;
    if (chunk === null || pieces <= MOST_PIECES) return push(chunk);
    ignoreBody(socket);
    response.destroy();
    return false;
  };
  return new Promise((resolve) => {
    const late = setTimeout(() => response.destroy(), BODY_MS);
    response.on('data', (chunk: Buffer) => {
      if (read < KEPT) kept.push(chunk.subarray(0, KEPT - read));
      read += chunk.length;
    });
    // A connection that breaks within the body, or has more of it than is read.
    response.on('error', () => response.destroy());
    response.on('close', () => {
      clearTimeout(late);
      // The decoder leaves out a character whose last bytes are missing.
      resolve(new StringDecoder('utf8').write(Buffer.concat(kept)));
    });
  });
}
