import { Readable } from 'node:stream';
import type { ServerResponse } from 'node:http';
import type { LargePage } from '../../../shared/engine/records';
import type { Flow } from '../limits/FairBudget';
import { PIECE_BYTES, type OpenResponses } from '../limits/OpenResponses';
import type { RequestTurn } from '../limits/Limits';

/** Streams the bytes in pieces, at the pace of their reader. */
export function pieceByPiece(bytes: Buffer): Readable {
  return Readable.from(piecesOf(bytes));
}

/** The response that a list is sent to, and the limits of sending. */
interface Destination {
  response: ServerResponse;
  flow: Flow;
  open: OpenResponses;
  /** The turn of the request. It has ended when the records are read. */
  turn: RequestTurn;
  /**
   * Reports that a record could not be read. The connection is then cut, so that no client mistakes a part of the list for
   * all of it.
   */
  failed: (error: unknown) => void;
}

/** Streams a page as JSON. Reads each record only after the reader has taken the previous one. */
export function listContent(page: LargePage<unknown>, destination: Destination): Readable {
  return Readable.from(listPieces(page, destination));
}

async function* listPieces(
  { records, envelope }: LargePage<unknown>,
  { response, flow, open, turn, failed }: Destination,
): AsyncGenerator<Buffer> {
  const each = records[Symbol.asyncIterator]();
  let before = '{"data":[';
  const nextRecord = async (): Promise<Buffer | null> => {
    await open.roomForRecord(response, flow);
    try {
      return await turn.further(async () => {
        const slot = await open.records.take();
        try {
          const next = await each.next();
          return next.done === true ? null : Buffer.from(before + JSON.stringify(next.value));
        } finally {
          open.records.giveBack(slot);
        }
      });
    } catch (error) {
      failed(error);
      throw error;
    }
  };
  for (let record = await nextRecord(); record !== null; record = await nextRecord()) {
    open.change(response, flow, record.length);
    yield* piecesOf(record);
    open.change(response, flow, -record.length);
    before = ',';
  }
  const end = `],${JSON.stringify(envelope).slice(1)}`;
  yield Buffer.from(before === ',' ? end : before + end);
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}
