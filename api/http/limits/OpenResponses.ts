import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Overloaded } from '../../../shared/engine/errors';
import { reset } from '../../../shared/engine/http';
import type { Logger } from '../../../shared/engine/log';
import { companyOf, type FlowKey, SlotPool } from '../../../shared/engine/fair';
import { type Peer, SystemBuffers } from './SystemBuffers';

/** Bytes that are written in one piece. The progress of a reader is measured in pieces. */
export const PIECE_BYTES = 64 * 1024;

const STALLED_AFTER_MS = 30_000;
/** How often readers are checked in that time. */
const CHECKS = 10;
const WAIT_FOR_ROOM_MS = 200;
/** Records of large lists that are read and written as JSON at the same time: their rows are in no budget. */
const RECORDS_AT_THE_SAME_TIME = 2;

/** Parts of a budget that stay free: large responses leave room for small ones, and for the records of lists in progress. */
const KEPT_BY_LARGE = 1 / 4;
const KEPT_BY_RECORDS = 1 / 8;

/**
 * How many checks a response lasts at least before it is cut off for another company, or for another network: one network may hold all that
 * is left to the callers without a key.
 */
const LEAST_CHECKS = { company: 2, network: 1 };

/** What the operating system may keep, as a multiple of what the process may hold. */
const SYSTEM_BUFFERS = 4;

/** A connection and its current response. */
interface Reader {
  readonly socket: Socket;
  readonly peer: Peer;
  response: ServerResponse | null;
  /** Null until the response holds bytes. */
  flow: FlowKey | null;
  heldBytes: number;
  /** Bytes that the operating system had taken at the last check. */
  takenBytes: number;
  /** Consecutive checks without progress. A count, not a time, so that a suspended process cuts no reader off when it resumes. */
  stalledChecks: number;
  /** Checks since the response holds bytes. */
  checks: number;
}

/** A connection without a response. */
const released = { response: null, flow: null, heldBytes: 0, stalledChecks: 0, checks: 0 };

/**
 * The responses of one process that are not completely sent. Bounds the bytes that they hold, in total and for each company (half
 * of the total; callers without a key are one company). A reader that takes nothing for 30 seconds is cut off, or after 3 seconds while
 * others need its bytes. When a company needs bytes that others hold, or a network of callers without a key, the one that holds most loses its
 * oldest responses, whether or not they are read.
 */
export class OpenResponses {
  /** Slots for reading and writing a record of a large list. */
  readonly records = new SlotPool(Array.from({ length: RECORDS_AT_THE_SAME_TIME }, (_, slot) => slot));
  /** Keyed by connection: a map that changes with every response makes garbage collection expensive. */
  private readonly readers = new Map<Socket, Reader>();
  private readonly system: SystemBuffers;
  /** Bytes that all responses hold, and those of each company. */
  private heldBytes = 0;
  private readonly held = new Map<FlowKey, number>();
  private readonly checkEveryMs: number;
  /** Runs while there are connections, so that an instance that is no longer used can be collected. */
  private checking: NodeJS.Timeout | undefined;

  constructor(
    private readonly totalBytes: number,
    private readonly log: Logger,
    { stalledAfterMs = STALLED_AFTER_MS } = {},
  ) {
    this.system = new SystemBuffers(SYSTEM_BUFFERS * totalBytes, log);
    this.checkEveryMs = stalledAfterMs / CHECKS;
  }

  /** Watches a response until it is sent or its connection ends, then frees its bytes. */
  watch(response: ServerResponse): void {
    const { socket } = response;
    if (socket === null || socket.destroyed) return;
    const reader = this.readers.get(socket) ?? this.opened(socket);
    // With pipelining, the `close` of the previous response may come after the next one begins.
    if (reader.response !== null) this.release(reader);
    reader.response = response;
    // Sending a stream adds ten listeners; `Pipelines`, `Connections`, this class, the log, the trace and `Exports` add one each.
    response.setMaxListeners(16).on('close', () => {
      if (reader.response === response) this.release(reader);
    });
  }

  /** @throws {Overloaded} when the unread responses of the company use up its share. */
  admit(flow: FlowKey): void {
    if (!this.makeRoom(flow, 1, 0)) throw new Overloaded('unread responses');
  }

  /**
   * Reserves the bytes that a watched response holds in memory. A response that `mustBeSent`, because it reports a committed
   * change, is never refused.
   * @throws {Overloaded} when the bytes are not free, and nothing can be cut off for them.
   */
  hold(response: ServerResponse, flow: FlowKey, bytes: number, mustBeSent = false): void {
    const kept = bytes > PIECE_BYTES ? KEPT_BY_LARGE : 0;
    if (!this.makeRoom(flow, bytes, kept) && !mustBeSent) throw new Overloaded('responses');
    this.change(response, flow, bytes);
  }

  /** Waits until a company may hold one more record of a list, or the response has ended. */
  async roomForRecord(response: ServerResponse, flow: FlowKey): Promise<void> {
    while (this.readerOf(response) !== null && !this.makeRoom(flow, 0, KEPT_BY_RECORDS)) await sleep(WAIT_FOR_ROOM_MS);
  }

  /** Adds bytes to a watched response; a negative number frees them. Does nothing for a response that has ended. */
  change(response: ServerResponse, flow: FlowKey, bytes: number): void {
    const reader = this.readerOf(response);
    if (reader === null) return;
    reader.flow = reader.peer.holder = flow;
    reader.heldBytes += bytes;
    this.account(flow, bytes);
  }

  private opened(socket: Socket): Reader {
    const reader = { socket, peer: this.system.opened(socket), takenBytes: 0, ...released };
    this.readers.set(socket, reader);
    this.checking ??= setInterval(() => this.check(), this.checkEveryMs).unref();
    socket.once('close', () => this.readers.delete(socket));
    return reader;
  }

  /** Returns the connection of the response; null when the response has ended. */
  private readerOf(response: ServerResponse): Reader | null {
    const reader = response.socket === null ? undefined : this.readers.get(response.socket);
    return reader?.response === response ? reader : null;
  }

  private account(flow: FlowKey, bytes: number): void {
    const company = companyOf(flow);
    this.held.set(company, (this.held.get(company) ?? 0) + bytes);
    this.heldBytes += bytes;
  }

  /** Cuts off responses until the bytes are free in addition to the kept part. Returns false when that is not enough. */
  private makeRoom(flow: FlowKey, bytes: number, kept: number): boolean {
    if (this.system.isFullFor(flow)) return false;
    const company = companyOf(flow);
    const fits = (held: number, total: number): boolean => held + bytes + kept * total <= total;
    const within = (one: FlowKey): FlowKey | null => (companyOf(one) === company ? one : null);
    while (!fits(this.held.get(company) ?? 0, this.totalBytes / 2)) {
      if (this.cutLongestStalled(company)) continue;
      // A company is the only holder of its share.
      if (flow === company || !this.cutOldest(within, flow, bytes, LEAST_CHECKS.network)) return false;
    }
    while (!fits(this.heldBytes, this.totalBytes)) {
      if (!this.cutLongestStalled(null) && !this.cutOldest(companyOf, company, bytes, LEAST_CHECKS.company))
        return false;
    }
    return true;
  }

  private release(reader: Reader): void {
    this.system.sent(reader.peer);
    if (reader.flow !== null) this.account(reader.flow, -reader.heldBytes);
    Object.assign(reader, released);
  }

  private check(): void {
    for (const reader of this.readers.values()) {
      reader.stalledChecks = hasProgressed(reader) ? 0 : reader.stalledChecks + 1;
      if (reader.heldBytes > 0) reader.checks += 1;
      this.system.sent(reader.peer);
      if (reader.stalledChecks >= CHECKS) this.cut(reader);
    }
    const isKept = this.system.check();
    for (const [company, bytes] of this.held) if (bytes === 0) this.held.delete(company);
    if (isKept || this.readers.size > 0 || this.held.size > 0) return;
    clearInterval(this.checking);
    this.checking = undefined;
  }

  /**
   * Cuts off the reader that has stalled longest and has made no progress by now, of one company or of all. Returns false when there is none.
   */
  private cutLongestStalled(company: FlowKey | null): boolean {
    let longest: Reader | null = null;
    for (const reader of this.readers.values()) {
      if (reader.flow === null || reader.heldBytes === 0) continue;
      if (company !== null && companyOf(reader.flow) !== company) continue;
      if (reader.stalledChecks <= (longest?.stalledChecks ?? 0)) continue;
      if (hasProgressed(reader)) reader.stalledChecks = 0;
      else longest = reader;
    }
    if (longest !== null) this.cut(longest);
    return longest !== null;
  }

  /**
   * Cuts off the oldest response of the holder that holds most, if `asking` would hold less with the further bytes. Returns false without one.
   * @param holderOf a company, or a network; null for readers that are left alone
   */
  private cutOldest(
    holderOf: (flow: FlowKey) => FlowKey | null,
    asking: FlowKey,
    bytes: number,
    leastChecks: number,
  ): boolean {
    const held = new Map([[asking, { bytes, oldest: null as Reader | null }]]);
    for (const reader of this.readers.values()) {
      const holder = reader.flow === null || reader.heldBytes === 0 ? null : holderOf(reader.flow);
      if (holder === null) continue;
      const { bytes: others, oldest } = held.get(holder) ?? { bytes: 0, oldest: null };
      const isOlder = reader.checks >= leastChecks && (oldest === null || reader.checks > oldest.checks);
      held.set(holder, { bytes: others + reader.heldBytes, oldest: isOlder ? reader : oldest });
    }
    const [holder, { oldest }] = [...held].reduce((one, other) => (other[1].bytes > one[1].bytes ? other : one));
    if (holder === asking || oldest === null) return false;
    this.cut(oldest);
    return true;
  }

  private cut(reader: Reader): void {
    const { flow, heldBytes } = reader;
    const company = flow && companyOf(flow);
    this.log.warn({ company, heldBytes }, 'a response is cut off: its reader takes nothing, or others need its memory');
    if (reader.response !== null) reset(reader.socket);
    this.release(reader);
  }
}

/** Tests whether the reader took bytes since the last call, or no bytes are waiting for it. */
function hasProgressed(reader: Reader): boolean {
  const { bytesWritten, writableLength } = reader.socket;
  const takenBytes = bytesWritten - writableLength;
  const isWaiting = reader.response !== null && writableLength > 0 && takenBytes === reader.takenBytes;
  reader.takenBytes = takenBytes;
  return !isWaiting;
}
