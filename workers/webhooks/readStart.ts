import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';

/** Bytes of a response body that are kept, and that are read at most so that the connection can be used again. */
const KEPT = 1_024;
const MOST_READ = 16 * 1_024;
/** The time-out of the body. The status alone decides the outcome. */
const BODY_MS = 1_000;

/**
 * Returns the first 1,024 bytes of a body as text, not decompressed. Closes the connection of a body that is larger than 16 KiB or
 * takes longer than a second. Never throws.
 */
export function readStart(response: IncomingMessage): Promise<string> {
  const kept: Buffer[] = [];
  let read = 0;
  return new Promise((resolve) => {
    const late = setTimeout(() => response.destroy(), BODY_MS);
    response.on('data', (chunk: Buffer) => {
      if (read < KEPT) kept.push(chunk.subarray(0, KEPT - read));
      read += chunk.length;
      if (read > MOST_READ) response.destroy();
    });
    // A connection that breaks within the body.
    response.on('error', () => response.destroy());
    response.on('close', () => {
      clearTimeout(late);
      // The decoder leaves out a character whose last bytes are missing.
      resolve(new StringDecoder('utf8').write(Buffer.concat(kept)));
    });
  });
}
