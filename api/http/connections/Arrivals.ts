import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { FlowKey } from '../../../shared/engine/fair';
import { Callers } from './Callers';

/** How long requests begin in one iteration of the event loop, in milliseconds. */
const PIECE_MS = 10;
/** Requests that arrive after that time before connections are paused, and connections that are read again in one iteration. */
const PIECE = 16;
/** Connections that are accepted before others are read again. */
const ACCEPTED = 64;

/** An open connection, the caller of its last request, and that request until its response is complete. */
export interface Arriving {
  readonly socket: Socket;
  caller: FlowKey;
  request: IncomingMessage | null;
}

/**
 * Begins requests that arrive at the same time in pieces, one of each caller after the other. In one iteration of the event loop Node.js
 * parses what has arrived on all connections, up to 64 KiB each. There may be thousands, and each request takes about 0.1 ms before it waits
 * for a slot. Once enough requests wait, all connections are paused; they are read again in pieces, when no request waits. Those on which a
 * body arrives are left alone: Node.js pauses them until what has arrived of it is read.
 *
 * Node.js accepts one connection in an iteration, so all that wait for that would wait for the requests of those before them. While one is
 * accepted in each iteration, they are read in turns as well.
 */
export class Arrivals {
  private readonly requests = new Callers<() => void>();
  private readonly reading = new Set<Arriving>();
  private readonly paused = new Callers<Arriving>();
  /** The caller with whom each paused connection waits: Node.js may resume one by itself, and its next request be another caller's. */
  private readonly pausedFor = new Map<Arriving, FlowKey>();
  /** When the first request of this iteration began. */
  private since: number | null = null;
  /** Requests that arrived in this iteration when its time was used up. */
  private late = 0;
  /** Connections that were accepted in successive iterations, and whether the last one was in this iteration. */
  private accepted = 0;
  private isAccepting = false;

  opened(connection: Arriving): void {
    this.reading.add(connection);
    this.mayBegin();
    this.isAccepting = true;
    this.accepted += 1;
    // Node.js begins to read a connection in the first tick after it is accepted.
    if (this.accepted > 1 || this.paused.size > 0) process.nextTick(() => this.pause(connection));
  }

  closed(connection: Arriving): void {
    this.reading.delete(connection);
    const caller = this.pausedFor.get(connection);
    if (caller === undefined) return;
    this.pausedFor.delete(connection);
    this.paused.delete(caller, connection);
  }

  /** Called for each request that Node.js has parsed. */
  arrived(): void {
    if (this.mayBegin()) return;
    this.late += 1;
    if (this.late === PIECE) this.reading.forEach((connection) => this.pause(connection));
  }

  /** Runs `work` now, or in one of the next iterations. @param caller the company, or the network of an unknown key */
  begin(caller: FlowKey, work: () => void): void {
    if (this.mayBegin()) work();
    else this.requests.add(caller, work);
  }

  private pause(connection: Arriving): void {
    if (connection.request?.complete === false || !this.reading.delete(connection)) return;
    connection.socket.pause();
    this.pausedFor.set(connection, connection.caller);
    this.paused.add(connection.caller, connection);
  }

  private mayBegin(): boolean {
    const now = performance.now();
    if (this.since === null) {
      this.since = now;
      setImmediate(() => this.goOn());
    }
    return now - this.since < PIECE_MS;
  }

  private goOn(): void {
    this.since = null;
    this.late = 0;
    while (this.requests.size > 0) {
      if (!this.mayBegin()) return;
      this.requests.next()?.();
    }
    const mayAcceptMore = this.isAccepting && this.accepted < ACCEPTED;
    this.isAccepting = false;
    if (mayAcceptMore) return void this.mayBegin();
    this.accepted = 0;
    for (let read = 0; read < PIECE; read++) {
      const connection = this.paused.next();
      if (connection === undefined) return;
      this.pausedFor.delete(connection);
      this.reading.add(connection);
      connection.socket.resume();
    }
    // The next piece follows.
    this.mayBegin();
  }
}
