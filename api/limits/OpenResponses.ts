import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Overloaded } from '../../shared/errors';
import type { Logger } from '../../shared/log';
import { Slots } from '../../shared/Slots';
import { ByteBudget } from './ByteBudget';

/** Bytes that are written in one piece: how fast a reader takes a response is seen piece by piece. */
export const PIECE_BYTES = 64 * 1024;

const STALLED_AFTER_MS = 30_000;
/** How often readers are looked at in that time. */
const LOOKS = 10;
const WAIT_FOR_ROOM_MS = 200;
/** Records of large lists that are read and written as JSON at the same time, so that small requests run in between. */
const RECORDS_AT_THE_SAME_TIME = 2;

/** Parts of a budget that stay free. Responses of more than one piece leave room for small ones, and for their own records. */
const KEPT_BY_LARGE = 1 / 4;
const KEPT_BY_RECORDS = 1 / 8;

/** A connection, and the response that it takes at present. */
interface Reader {
  readonly socket: Socket;
  response: ServerResponse | null;
  /** Null until the response holds anything. */
  companyId: number | null;
  heldBytes: number;
  /** Bytes that the operating system had taken at the last look. */
  takenBytes: number;
  /** Looks in a row that found the same bytes waiting. Counted, so that a process that was suspended cuts no reader off. */
  stalledLooks: number;
}

/**
 * The responses of one process that are not sent to their end yet. Bounds the bytes that they hold, in all and for each
 * company (half of all). A reader that takes nothing for 30 seconds is cut off; a tenth of that is enough while others need
 * the bytes that it holds.
 */
export class OpenResponses {
  /** Whose turn it is to read a record of a large list. */
  readonly turns = new Slots(Array.from({ length: RECORDS_AT_THE_SAME_TIME }, (_, slot) => slot));
  /** By connection: a map of the responses themselves would change with each, which makes garbage collection expensive. */
  private readonly readers = new Map<Socket, Reader>();
  private readonly budget: ByteBudget;
  private readonly shares = new Map<number, ByteBudget>();

  constructor(
    totalBytes: number,
    private readonly log: Logger,
    { stalledAfterMs = STALLED_AFTER_MS } = {},
  ) {
    this.budget = new ByteBudget(totalBytes);
    setInterval(() => this.look(), stalledAfterMs / LOOKS).unref();
  }

  /** Watches a response until it is sent or its connection ends, and then gives back what it held. */
  watch(response: ServerResponse): void {
    const { socket } = response;
    if (socket === null || socket.destroyed) return;
    const reader = this.readers.get(socket) ?? this.opened(socket);
    // Pipelining: the response before has been sent, and its `close` may follow.
    if (reader.response !== null) this.release(reader);
    reader.response = response;
    // Sending a stream takes ten; `Connections` and this take one each.
    response.setMaxListeners(12).once('close', () => {
      if (reader.response === response) this.release(reader);
    });
  }

  /** @throws {Overloaded} when the unread responses of the company use up its share: it has to read them first. */
  admit(companyId: number): void {
    if (!this.makeRoom(companyId, 1, 0)) throw new Overloaded('unread responses');
  }

  /**
   * Reserves what a watched response holds in memory from now on. One that `mustBeSent`, because it reports a change that was
   * made, is never refused.
   * @throws {Overloaded} when the bytes are not free, and no stalled reader can be cut off for them.
   */
  hold(response: ServerResponse, companyId: number, bytes: number, mustBeSent = false): void {
    const kept = bytes > PIECE_BYTES ? KEPT_BY_LARGE : 0;
    if (!this.makeRoom(companyId, bytes, kept) && !mustBeSent) throw new Overloaded('responses');
    this.change(response, companyId, bytes);
  }

  /** Waits until a company may hold one more record of a list. Resolves as well when the response has ended. */
  async roomForRecord(response: ServerResponse, companyId: number): Promise<void> {
    while (this.readerOf(response) !== null && !this.makeRoom(companyId, 0, KEPT_BY_RECORDS))
      await sleep(WAIT_FOR_ROOM_MS);
  }

  /** Adds to what a watched response holds, or gives a part of it back. One that has ended holds nothing. */
  change(response: ServerResponse, companyId: number, bytes: number): void {
    const reader = this.readerOf(response);
    if (reader === null) return;
    reader.companyId = companyId;
    reader.heldBytes += bytes;
    this.account(companyId, bytes);
  }

  private opened(socket: Socket): Reader {
    const reader = { socket, response: null, companyId: null, heldBytes: 0, takenBytes: 0, stalledLooks: 0 };
    this.readers.set(socket, reader);
    socket.once('close', () => this.readers.delete(socket));
    return reader;
  }

  /** The connection that takes the response; null when the response has ended. */
  private readerOf(response: ServerResponse): Reader | null {
    const reader = response.socket === null ? undefined : this.readers.get(response.socket);
    return reader?.response === response ? reader : null;
  }

  private account(companyId: number, bytes: number): void {
    this.shareOf(companyId).add(bytes);
    this.budget.add(bytes);
  }

  /** Cuts off stalled readers until the bytes are free beside the kept part. Returns false when that is not enough. */
  private makeRoom(companyId: number, bytes: number, kept: number): boolean {
    const share = this.shareOf(companyId);
    const fits = ({ free, total }: ByteBudget): boolean => bytes + kept * total <= free;
    while (!fits(share)) if (!this.cutLongestStalled(companyId)) return false;
    while (!fits(this.budget)) if (!this.cutLongestStalled(null)) return false;
    return true;
  }

  private shareOf(companyId: number): ByteBudget {
    let share = this.shares.get(companyId);
    if (share === undefined) this.shares.set(companyId, (share = new ByteBudget(this.budget.total / 2)));
    return share;
  }

  private release(reader: Reader): void {
    if (reader.companyId !== null) this.account(reader.companyId, -reader.heldBytes);
    Object.assign(reader, { response: null, companyId: null, heldBytes: 0, stalledLooks: 0 });
  }

  private look(): void {
    for (const reader of this.readers.values()) {
      reader.stalledLooks = hasProgressed(reader) ? 0 : reader.stalledLooks + 1;
      if (reader.stalledLooks >= LOOKS) this.cut(reader);
    }
    for (const [companyId, share] of this.shares) if (share.free === share.total) this.shares.delete(companyId);
  }

  /**
   * Cuts off the reader that has stalled longest, of a company's responses that hold anything or of all, unless it goes on by
   * now. Returns false when there is none.
   */
  private cutLongestStalled(companyId: number | null): boolean {
    let longest: Reader | null = null;
    for (const reader of this.readers.values()) {
      if (reader.heldBytes === 0 || (companyId !== null && reader.companyId !== companyId)) continue;
      if (reader.stalledLooks > (longest?.stalledLooks ?? 0)) longest = reader;
    }
    if (longest === null) return false;
    if (hasProgressed(longest)) longest.stalledLooks = 0;
    else this.cut(longest);
    return true;
  }

  private cut(reader: Reader): void {
    const { companyId, heldBytes } = reader;
    this.log.warn({ companyId, heldBytes }, 'a response is cut off: its reader takes nothing');
    reader.response?.destroy();
    this.release(reader);
  }
}

/** Whether bytes were taken since it was asked last, or none are waiting: then the reader is not the one who is slow. */
function hasProgressed(reader: Reader): boolean {
  const { bytesWritten, writableLength } = reader.socket;
  const takenBytes = bytesWritten - writableLength;
  const isWaiting = reader.response !== null && writableLength > 0 && takenBytes === reader.takenBytes;
  reader.takenBytes = takenBytes;
  return !isWaiting;
}
