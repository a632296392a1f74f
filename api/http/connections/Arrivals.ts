import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { FlowKey } from '../../../shared/engine/fair';
import { Callers } from './Callers';

/** How long requests begin in one iteration of the event loop, in milliseconds, and how many connections at most are read again in it. */
const USUAL = { ms: 10, connections: 4 };
/** The same while connections are accepted: Node.js accepts one in an iteration, and thousands may wait for that. */
const ACCEPTING = { ms: 1, connections: 0 };
/** Connections that are accepted before a piece, at 0.2 ms each, and that piece. */
const MOST_IN_ROW = 16;
const BETWEEN = { ms: 3, connections: 4 };
/** What arrives after that time before connections are paused. */
const MOST_LATE = 16;

/** So many ends of connections, of 0.05 ms each, count as a chunk. */
const ENDS_OF_CHUNK = 8;

/** The time between two reads of a connection that brings little with each. A read takes as long as the parsing of several hundred bytes. */
const RARELY_MS = 500;

/** An open connection. */
export interface Arriving {
  readonly socket: Socket;
  /** That of its last request. */
  caller: FlowKey;
  /** The caller with whom it waits while it is paused: its next request may be another caller's. */
  pausedFor: FlowKey | null;
  /** Nothing reads it: it rests, is closed, or the rest of what it sends is refused. */
  isHeld: boolean;
}

/**
 * Begins requests that arrive at the same time in pieces, one of each company after the other ({@link Callers}). In one iteration of the event loop Node.js
 * parses what has arrived on all connections, up to 64 KiB each. There may be thousands. Each request takes about 0.1 ms before it waits
 * for a slot, and the chunks of a body up to 2 ms. Once enough has arrived, all connections are paused; they are read again in pieces, when
 * no request waits.
 */
export class Arrivals {
  private readonly requests = new Callers<() => void>();
  private readonly reading = new Set<Arriving>();
  private readonly paused = new Callers<Arriving>();
  /** Those that are read again in this iteration: nothing that arrives before them pauses them once more. */
  private readonly piece = new Set<Arriving>();
  /** When the first request of this iteration began. */
  private since: number | null = null;
  /** What arrived in this iteration when its time was used up. */
  private late = 0;
  private ends = 0;
  private limits = USUAL;
  /** Connections that are read again together: fewer after an iteration that took long, because bodies came in many chunks. */
  private together = USUAL.connections;
  private readonly resting = new Set<Arriving>();
  /** Accepted in this iteration, and not read yet. */
  private readonly accepted = new Set<Arriving>();
  /** Connections that were accepted since the last piece. */
  private acceptedInRow = 0;

  /** A new connection is read in its turn. */
  opened(connection: Arriving): void {
    this.accepted.add(connection);
    this.mayBegin();
  }

  closed(connection: Arriving): void {
    this.reading.delete(connection);
    this.piece.delete(connection);
    this.accepted.delete(connection);
    this.resting.delete(connection);
    if (connection.pausedFor !== null) this.paused.delete(connection.pausedFor, connection);
    connection.isHeld = true;
  }

  /** Reads together, and in its turn, what arrives on a connection within {@link RARELY_MS}. */
  readRarely(connection: Arriving): void {
    if (connection.isHeld || connection.pausedFor !== null) return;
    this.reading.delete(connection);
    this.piece.delete(connection);
    this.resting.add(connection);
    connection.isHeld = true;
    connection.socket.pause();
    setTimeout(() => {
      if (!this.resting.delete(connection)) return;
      connection.isHeld = false;
      this.wait(connection);
      this.mayBegin();
    }, RARELY_MS).unref();
  }

  /** Called for each request that Node.js has parsed, and for what is no request. */
  arrived(): void {
    this.count(this.limits.ms);
  }

  /** Called for each chunk of a body. It has the usual time also while connections are accepted. */
  chunkArrived(): void {
    this.count(USUAL.ms);
  }

  /** Called for each end of a connection. It takes little, so that only hundreds which come together pause others. */
  ended(): void {
    this.ends += 1;
    if (this.ends % ENDS_OF_CHUNK === 0) this.chunkArrived();
  }

  /** Runs `work` now, or in one of the next iterations. @param caller the company, or the network of an unknown key */
  begin(caller: FlowKey, work: () => void): void {
    if (this.mayBegin()) work();
    else this.requests.add(caller, work);
  }

  private count(ms: number): void {
    if (this.isWithin(ms)) return;
    this.late += 1;
    if (this.late === MOST_LATE) this.pause();
  }

  private pause(): void {
    for (const connection of this.reading) {
      // Node.js reads it again when what has arrived of a body is read.
      if (!connection.socket.isPaused()) this.wait(connection);
    }
  }

  private wait(connection: Arriving): void {
    const { socket, caller } = connection;
    this.reading.delete(connection);
    socket.pause();
    connection.pausedFor = caller;
    this.paused.add(caller, connection);
  }

  private mayBegin(): boolean {
    return this.isWithin(this.limits.ms);
  }

  private isWithin(ms: number): boolean {
    const now = performance.now();
    if (this.since === null) {
      this.since = now;
      setImmediate(() => this.goOn());
    }
    return now - this.since < ms;
  }

  private goOn(): void {
    const isLong = performance.now() - (this.since ?? 0) > 2 * USUAL.ms;
    this.together = isLong ? Math.max(1, this.together >> 1) : Math.min(USUAL.connections, this.together * 2);
    this.since = null;
    this.late = 0;
    const isInRow = this.accepted.size > 0 && this.acceptedInRow < MOST_IN_ROW;
    if (this.accepted.size === 0) this.limits = USUAL;
    else this.limits = isInRow ? ACCEPTING : BETWEEN;
    this.acceptedInRow = isInRow ? this.acceptedInRow + 1 : 0;
    for (const connection of this.accepted) this.wait(connection);
    this.accepted.clear();
    for (const connection of this.piece) this.reading.add(connection);
    this.piece.clear();
    while (this.requests.size > 0) {
      if (!this.mayBegin()) return;
      this.requests.next()?.();
    }
    for (let read = Math.min(this.limits.connections, this.together); read > 0; read--) {
      const connection = this.paused.next();
      if (connection === undefined) break;
      connection.pausedFor = null;
      this.piece.add(connection);
      connection.socket.resume();
    }
    // The next piece follows.
    if (this.piece.size + this.paused.size > 0) this.mayBegin();
  }
}
