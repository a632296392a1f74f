import { Readable } from 'node:stream';
import type { ServerResponse } from 'node:http';
import type { LargePage } from '../../../shared/engine/records';
import type { FlowKey, SlotPool, Turn } from '../../../shared/engine/fair';
import { PIECE_BYTES, type OpenResponses } from '../limits/OpenResponses';
import { piecesMs } from '../limits/Limits';

/** Streams the bytes in pieces, at the pace of their reader. */
export function pieceByPiece(bytes: Buffer): Readable {
  return Readable.from(piecesOf(bytes));
}

/** The response that a list is sent to, and the limits of sending. */
interface Destination {
  response: ServerResponse;
  flow: FlowKey;
  open: OpenResponses;
  /** The turn of the request. It has ended when the chunks are made. */
  turn: Turn;
  /** A record of any size is made into a chunk in one of these slots. Null: the memory of the chunks is reserved. */
  slots: SlotPool<number> | null;
  /**
   * Reports that a chunk could not be made. The connection is then cut, so that no client mistakes a part of the list for
   * all of it.
   */
  failed: (error: unknown) => void;
}

/** Streams text. Makes each chunk only after the reader has taken the previous one. */
export function textContent(chunks: AsyncIterable<string>, destination: Destination): Readable {
  return Readable.from(chunkPieces(chunks, destination));
}

/** Returns a page as JSON, in chunks of one record. */
export async function* pageText({ records, envelope }: LargePage<unknown>): AsyncGenerator<string> {
  let before = '{"data":[';
  for await (const record of records) {
    yield before + JSON.stringify(record);
    before = ',';
  }
  const end = `],${JSON.stringify(envelope).slice(1)}`;
  yield before === ',' ? end : before + end;
}

async function* chunkPieces(
  chunks: AsyncIterable<string>,
  { response, flow, open, turn, slots, failed }: Destination,
): AsyncGenerator<Buffer> {
  const each = chunks[Symbol.asyncIterator]();
  const nextChunk = async (): Promise<Buffer | null> => {
    await open.roomForRecord(response, flow);
    try {
      return await turn.further(async () => {
        const slot = await slots?.take();
        try {
          // A fast reader takes megabytes without waiting.
          await turn.meter.breathe();
          // Nothing more is read for a client that has left.
          const next = response.destroyed ? null : await each.next();
          if (next === null || next.done === true) return null;
          const chunk = Buffer.from(next.value);
          turn.meter.add(piecesMs(chunk.length, response.hasHeader('Content-Encoding')));
          return chunk;
        } finally {
          if (slot !== undefined) slots?.giveBack(slot);
        }
      });
    } catch (error) {
      failed(error);
      throw error;
    }
  };
  for (let chunk = await nextChunk(); chunk !== null; chunk = await nextChunk()) {
    open.change(response, flow, chunk.length);
    yield* piecesOf(chunk);
    open.change(response, flow, -chunk.length);
  }
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}
