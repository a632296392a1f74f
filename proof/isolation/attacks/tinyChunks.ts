import { rawSocket, requestHead } from '../attacker/rawSocket';
import { repeat } from '../attacker/repeat';
import type { Attack, Attacker } from '../Attack';
import { untilClosed } from './multipartHeaders';

const chunks = '1\r\n \r\n';

/** Sends bodies in chunks of one byte, each on a connection of its own. */
const inTinyChunks = (name: string, what: string, count: number, headOf: (attacker: Attacker) => string): Attack => ({
  name,
  what: `${what}, ${count.toLocaleString('en')} chunks of a byte, 16 connections`,
  run: (attacker, signal) => {
    const text = Buffer.from(headOf(attacker) + chunks.repeat(count));
    return repeat(attacker, 16, signal, () => untilClosed(rawSocket(attacker, text), signal));
  },
});

export const tinyChunks = inTinyChunks('tiny-chunks', 'creates of an invoice', 100_000, (attacker) =>
  requestHead(attacker, 'POST /api/invoices', ['Content-Type: application/json', 'Transfer-Encoding: chunked']),
);

export const tinyChunksWithoutKey = inTinyChunks(
  'tiny-chunks-without-key',
  'requests to a path that takes no body',
  10_500,
  () => 'POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
);
