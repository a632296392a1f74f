import { createReadStream, existsSync } from 'node:fs';
import { type Socket, SocketAddress } from 'node:net';
import { endianness } from 'node:os';
import { createInterface } from 'node:readline';
import type { FlowKey } from '../../../shared/engine/fair';
import { reset } from '../../../shared/engine/http';
import type { Logger } from '../../../shared/engine/log';
import { clientNetwork } from './clientNetwork';

/** Where Linux lists the connections of a container. Other systems tell nothing, so nothing is counted there. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'].filter((table) => existsSync(table));
/** The remote address and port of a connection, its bytes that are sent and not acknowledged, and those that came and are not read. */
const CONNECTION = /: [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):([0-9A-F]{8}) /;
/**
 * The next measurement begins after this multiple of the time of the last one, or {@link LONGEST_PAUSE_MS}: closed connections are listed for
 * a minute, however many there were.
 */
const PAUSE = 10;
const LONGEST_PAUSE_MS = 2_000;

/** What is sent, as a part of the bound, and how many connections are closed until the next measurement. */
const PART_UNMEASURED = 1 / 8;
const MOST_CLOSED = 10_000;

/** The other side of a connection; after its end as long as the system may keep bytes for it. */
export interface Peer {
  /** Null after its end. */
  socket: Socket | null;
  /** Its company, or the network of a caller without a key. */
  holder: FlowKey;
  sentBytes: number;
  /** How many measurements had begun when the connection ended; `Infinity` while it is open. */
  closedAfter: number;
}

interface Holder {
  bytes: number;
  closedBytes: number;
  readonly open: { readonly socket: Socket; readonly keptBytes: number }[];
}

/**
 * What the operating system keeps for the connections of a process. Of a response it keeps up to 4 MB until the reader takes it, also for
 * minutes after the connection is closed; of a request what the process does not read yet. All of it counts as memory of the container.
 * It is bounded in total, and to half of that for each company, and each network of callers without a key: who holds most loses the
 * connections that hold most.
 */
export class SystemBuffers {
  private readonly peers = new Map<string, Peer>();
  private holders = new Map<FlowKey, Holder>();
  private unmeasuredBytes = 0;
  private closed = 0;
  private measurements = 0;
  private isMeasuring = false;
  private restsUntil = 0;

  constructor(
    private readonly totalBytes: number,
    private readonly log: Logger,
  ) {}

  /** Tests whether closed connections keep more than the share of a company or network. Only time, or their readers, free it. */
  isFullFor(flow: FlowKey): boolean {
    return (this.holders.get(flow)?.closedBytes ?? 0) > this.totalBytes / 2;
  }

  opened(socket: Socket): Peer {
    const holder = clientNetwork(socket.remoteAddress ?? '');
    const peer: Peer = { socket, holder, sentBytes: 0, closedAfter: Infinity };
    const name = `${socket.remoteAddress} ${socket.remotePort}`;
    this.peers.set(name, peer);
    socket.once('close', () => {
      this.sent(peer);
      peer.socket = null;
      peer.closedAfter = this.measurements;
      if (peer.sentBytes === 0) this.forget(name, peer);
      else this.closed += 1;
    });
    return peer;
  }

  /** Counts what was sent on a connection since the last call. */
  sent(peer: Peer): void {
    if (peer.socket === null) return;
    this.unmeasuredBytes += peer.socket.bytesWritten - peer.sentBytes;
    peer.sentBytes = peer.socket.bytesWritten;
    if (this.unmeasuredBytes > this.totalBytes * PART_UNMEASURED || this.closed > MOST_CLOSED) void this.measure();
  }

  /** Measures, regularly: of what comes and is not read, the process learns nothing. Returns whether anything may be kept. */
  check(): boolean {
    const isKept = this.peers.size > 0;
    if (isKept) void this.measure();
    return isKept;
  }

  /** Asks the system what it keeps, and resets connections until it is within the bounds. */
  private async measure(): Promise<void> {
    const begun = performance.now();
    if (this.isMeasuring || begun < this.restsUntil) return;
    this.isMeasuring = true;
    this.measurements += 1;
    this.unmeasuredBytes = this.closed = 0;
    try {
      this.count(await keptBytes());
      this.keepBounds();
    } catch (error) {
      this.log.warn({ err: error }, 'what the system keeps of the connections is not known');
    } finally {
      this.isMeasuring = false;
      const now = performance.now();
      this.restsUntil = now + Math.min(LONGEST_PAUSE_MS, PAUSE * (now - begun));
    }
  }

  private count(kept: ReadonlyMap<string, number>): void {
    this.holders = new Map();
    for (const [name, peer] of this.peers) {
      const { socket } = peer;
      const keptBytes = kept.get(name) ?? 0;
      if (keptBytes === 0) {
        if (peer.closedAfter < this.measurements) this.forget(name, peer);
        continue;
      }
      const holder = this.holders.get(peer.holder) ?? { bytes: 0, closedBytes: 0, open: [] };
      holder.bytes += keptBytes;
      if (socket?.destroyed === false) holder.open.push({ socket, keptBytes });
      else holder.closedBytes += keptBytes;
      this.holders.set(peer.holder, holder);
    }
  }

  /** Leaves a newer connection of the same name. */
  private forget(name: string, peer: Peer): void {
    if (this.peers.get(name) === peer) this.peers.delete(name);
  }

  private keepBounds(): void {
    const share = Math.min(this.totalBytes / 2, fairShare([...this.holders.values()], this.totalBytes));
    for (const [holder, { bytes, open }] of this.holders) {
      if (bytes <= share || open.length === 0) continue;
      this.log.warn({ holder, bytes }, 'connections are cut off: the system keeps too much for them');
      let excess = bytes - share;
      for (const { socket, keptBytes } of open.sort((one, other) => other.keptBytes - one.keptBytes)) {
        if (excess <= 0) break;
        reset(socket);
        excess -= keptBytes;
      }
    }
  }
}

/** Returns how many bytes each holder may have, so that together they have at most the total: the ones with less leave theirs to the others. */
function fairShare(holders: readonly Holder[], total: number): number {
  let left = total;
  for (const [index, { bytes }] of holders.toSorted((one, other) => one.bytes - other.bytes).entries()) {
    const share = left / (holders.length - index);
    if (bytes > share) return share;
    left -= bytes;
  }
  return Infinity;
}

/** Returns the bytes that the system keeps, by the other side's address and port. */
async function keptBytes(): Promise<Map<string, number>> {
  const kept = new Map<string, number>();
  for (const table of TABLES) {
    for await (const line of createInterface({ input: createReadStream(table) })) {
      const [, address = '', port = '', sent = '', received = ''] = CONNECTION.exec(line) ?? [];
      const bytes = parseInt(sent, 16) + parseInt(received, 16);
      if (bytes > 0) kept.set(`${addressOf(address)} ${parseInt(port, 16)}`, bytes);
    }
  }
  return kept;
}

/** Returns an address as Node.js writes it. Linux writes it as hexadecimal words of 32 bits, in the order of bytes of the processor. */
function addressOf(hexadecimal: string): string {
  const bytes = Buffer.from(hexadecimal, 'hex');
  if (endianness() === 'LE') bytes.swap32();
  if (bytes.length === 4) return bytes.join('.');
  const address = bytes.toString('hex').replace(/.{4}(?=.)/g, '$&:');
  return new SocketAddress({ address, family: 'ipv6' }).address;
}
