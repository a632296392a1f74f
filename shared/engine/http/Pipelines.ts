import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseFurtherHeads } from './refuseFurtherHeads';

export interface PipelineLimits {
  /** Requests of one connection whose responses are not complete. */
  readonly maxInFlight: number;
  /** Memory of the requests that wait for earlier ones of their connections, over all connections. */
  readonly maxWaitingBytes: number;
}

/** The most memory of a waiting request: its objects, 16 KiB of headers, and the part of its body that Node.js reads ahead. */
const REQUEST_BYTES = 20 * 1024;
const BODY_BYTES = 128 * 1024;

interface Entry {
  readonly response: ServerResponse;
  readonly handle: () => void;
  readonly bytes: number;
}

/** The requests of one connection, oldest first: the first one is handled, the others wait. */
interface Pipeline {
  readonly entries: Entry[];
  waitingBytes: number;
}

/**
 * Handles the requests of each connection one after the other, and bounds how many a client sends ahead before it gets responses
 * (pipelining): Node.js alone parses and handles all that arrive, until the heap ends.
 */
export class Pipelines {
  private readonly pipelines = new Map<Socket, Pipeline>();
  private waitingBytes = 0;
  /** Connections by how many of their bytes wait. Few requests of a connection wait, so there are few different numbers. */
  private readonly byWaitingBytes = new Map<number, Set<Socket>>();

  constructor(private readonly limits: PipelineLimits) {}

  /**
   * Calls `handle` when the responses to earlier requests of the connection are complete. With too many in flight the connection is
   * closed, and with too many bytes over all connections the one of which most wait. Requests of a closed connection are dropped.
   */
  serve({ socket, headers }: IncomingMessage, response: ServerResponse, handle: () => void): void {
    if (socket.destroyed) return;
    const pipeline = this.pipelines.get(socket) ?? this.opened(socket);
    if (pipeline.entries.length >= this.limits.maxInFlight) return this.close(socket);
    const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
    const entry = { response, handle, bytes: REQUEST_BYTES + (hasBody ? BODY_BYTES : 0) };
    pipeline.entries.push(entry);
    response.on('close', () => this.ended(socket, pipeline, entry));
    if (pipeline.entries.length === 1) return handle();
    this.wait(socket, pipeline, entry.bytes);
    if (this.waitingBytes > this.limits.maxWaitingBytes) this.closeLongest();
  }

  /** Returns the responses of a connection that are not complete. */
  responsesOf(socket: Socket): readonly ServerResponse[] {
    return this.pipelines.get(socket)?.entries.map(({ response }) => response) ?? [];
  }

  isIdle(socket: Socket): boolean {
    return (this.pipelines.get(socket)?.entries.length ?? 0) === 0;
  }

  private opened(socket: Socket): Pipeline {
    const pipeline = { entries: [], waitingBytes: 0 };
    this.pipelines.set(socket, pipeline);
    socket.once('close', () => this.forget(socket));
    return pipeline;
  }

  private ended(socket: Socket, pipeline: Pipeline, entry: Entry): void {
    const { entries } = pipeline;
    entries.splice(entries.indexOf(entry), 1);
    // The connection was closed, which gave the bytes of all that wait back.
    if (this.pipelines.get(socket) !== pipeline) return;
    const [next] = entries;
    if (next === undefined) return;
    this.wait(socket, pipeline, -next.bytes);
    // Requests of other connections come between two of this one.
    setImmediate(() => {
      // Nothing is handled after a response with `Connection: close` (RFC 9112, 9.6).
      if (socket.writable) next.handle();
    });
  }

  private wait(socket: Socket, pipeline: Pipeline, bytes: number): void {
    const before = this.byWaitingBytes.get(pipeline.waitingBytes);
    before?.delete(socket);
    if (before?.size === 0) this.byWaitingBytes.delete(pipeline.waitingBytes);
    pipeline.waitingBytes += bytes;
    this.waitingBytes += bytes;
    if (pipeline.waitingBytes === 0) return;
    const after = this.byWaitingBytes.get(pipeline.waitingBytes) ?? new Set();
    this.byWaitingBytes.set(pipeline.waitingBytes, after.add(socket));
  }

  /** Closes a connection of which most bytes wait, without a search through all: thousands may exceed the limit together. */
  private closeLongest(): void {
    const [socket] = this.byWaitingBytes.get(Math.max(...this.byWaitingBytes.keys())) ?? [];
    if (socket !== undefined) this.close(socket);
  }

  private close(socket: Socket): void {
    refuseFurtherHeads(socket);
    socket.destroy();
    // Its `close` comes when what has arrived on all other connections is parsed. Until then it would stay the one of which most bytes wait.
    this.forget(socket);
  }

  private forget(socket: Socket): void {
    const pipeline = this.pipelines.get(socket);
    this.pipelines.delete(socket);
    if (pipeline !== undefined) this.wait(socket, pipeline, -pipeline.waitingBytes);
  }
}
