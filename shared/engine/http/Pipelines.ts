import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseFurtherHeads } from './refuseFurtherHeads';

export interface PipelineLimits {
  /** Requests of one connection whose responses are not complete. */
  readonly maxInFlight: number;
  /** Memory of all requests whose responses are not complete: those that are handled, and those that wait for earlier ones. */
  readonly maxBytes: number;
}

/** Memory of a request's objects, of each name and each value beside its characters, and of the body that is read ahead while it waits. */
const REQUEST_BYTES = 8 * 1024;
const HEADER_BYTES = 60;
const BODY_BYTES = 128 * 1024;
/** Connections are compared in these steps, so that there are few different numbers. */
const STEP_BYTES = 4 * 1024;

interface Entry {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handle: () => void;
  readonly bytes: number;
  /** Beyond those while the request waits. */
  readonly waitingBytes: number;
}

/** The requests of one connection, oldest first: the first one is handled, the others wait. */
interface Pipeline {
  readonly entries: Entry[];
  bytes: number;
}

/**
 * Handles the requests of each connection one after the other, and bounds how many a client sends ahead before it gets responses
 * (pipelining): Node.js alone parses and handles all that arrive, until the heap ends.
 */
export class Pipelines {
  private readonly pipelines = new Map<Socket, Pipeline>();
  private bytes = 0;
  /** Connections by how many bytes their requests hold. */
  private readonly byBytes = new Map<number, Set<Socket>>();

  constructor(private readonly limits: PipelineLimits) {}

  /**
   * Calls `handle` when the responses to earlier requests of the connection are complete. With too many in flight the connection is
   * closed, and with too many bytes over all connections the one whose requests hold most. Requests of a closed connection are dropped.
   */
  serve(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const { socket, headers } = request;
    if (socket.destroyed) return;
    const pipeline = this.pipelines.get(socket) ?? this.opened(socket);
    if (pipeline.entries.length >= this.limits.maxInFlight) return this.close(socket);
    const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
    const entry = { request, response, handle, bytes: bytesOf(request), waitingBytes: hasBody ? BODY_BYTES : 0 };
    pipeline.entries.push(entry);
    response.on('close', () => this.ended(socket, pipeline, entry));
    const waits = pipeline.entries.length > 1;
    this.hold(socket, pipeline, entry.bytes + (waits ? entry.waitingBytes : 0));
    if (this.bytes > this.limits.maxBytes) this.closeLargest();
    if (!waits && !socket.destroyed) handle();
  }

  /** Returns the responses of a connection that are not complete. */
  responsesOf(socket: Socket): readonly ServerResponse[] {
    return this.pipelines.get(socket)?.entries.map(({ response }) => response) ?? [];
  }

  isIdle(socket: Socket): boolean {
    return (this.pipelines.get(socket)?.entries.length ?? 0) === 0;
  }

  private opened(socket: Socket): Pipeline {
    const pipeline = { entries: [], bytes: 0 };
    this.pipelines.set(socket, pipeline);
    socket.once('close', () => this.forget(socket));
    return pipeline;
  }

  private ended(socket: Socket, pipeline: Pipeline, entry: Entry): void {
    const { entries } = pipeline;
    entries.splice(entries.indexOf(entry), 1);
    // The connection was closed, which gave the bytes of all its requests back.
    if (this.pipelines.get(socket) !== pipeline) return;
    const [next] = entries;
    this.hold(socket, pipeline, -entry.bytes - (next?.waitingBytes ?? 0));
    if (next === undefined) return;
    // Requests of other connections come between two of this one.
    setImmediate(() => {
      // Nothing is handled after a response with `Connection: close` (RFC 9112, 9.6).
      if (socket.writable) next.handle();
    });
  }

  private hold(socket: Socket, pipeline: Pipeline, bytes: number): void {
    const stepOf = (): number => Math.ceil(pipeline.bytes / STEP_BYTES);
    const before = this.byBytes.get(stepOf());
    before?.delete(socket);
    if (before?.size === 0) this.byBytes.delete(stepOf());
    pipeline.bytes += bytes;
    this.bytes += bytes;
    if (pipeline.bytes === 0) return;
    const after = this.byBytes.get(stepOf()) ?? new Set();
    this.byBytes.set(stepOf(), after.add(socket));
  }

  /** Closes a connection whose requests hold most, without a search through all: thousands may exceed the limit together. */
  private closeLargest(): void {
    const [socket] = this.byBytes.get(Math.max(...this.byBytes.keys())) ?? [];
    if (socket !== undefined) this.close(socket);
  }

  private close(socket: Socket): void {
    refuseFurtherHeads(socket);
    socket.destroy();
    // Its `close` comes when what has arrived on all other connections is parsed. Until then it would stay the one whose requests hold most.
    this.forget(socket);
  }

  private forget(socket: Socket): void {
    const pipeline = this.pipelines.get(socket);
    this.pipelines.delete(socket);
    if (pipeline === undefined) return;
    this.hold(socket, pipeline, -pipeline.bytes);
    // Node.js keeps all requests of a connection as long as the one that is handled.
    for (const { request } of pipeline.entries.slice(1)) Object.assign(request, { headers: {}, rawHeaders: [] });
  }
}

function bytesOf({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((sum, { length }) => sum + length + HEADER_BYTES, REQUEST_BYTES + url.length);
}
