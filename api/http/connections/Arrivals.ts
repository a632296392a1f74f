import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { FlowKey } from '../../../shared/engine/fair';
import { Callers } from './Callers';

/** How long requests begin in one iteration of the event loop, in milliseconds. */
const PIECE_MS = 10;
/** Requests that arrive after that time before connections are paused, and connections that are read again in one iteration. */
const PIECE = 16;

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

  opened(connection: Arriving): void {
    this.reading.add(connection);
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
    if (this.late === PIECE) this.pause();
  }

  /** Runs `work` now, or in one of the next iterations. @param caller the company, or the network of an unknown key */
  begin(caller: FlowKey, work: () => void): void {
    if (this.mayBegin()) work();
    else this.requests.add(caller, work);
  }

  private pause(): void {
    for (const connection of this.reading) {
      if (connection.request?.complete === false) continue;
      this.reading.delete(connection);
      connection.socket.pause();
      this.pausedFor.set(connection, connection.caller);
      this.paused.add(connection.caller, connection);
    }
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
