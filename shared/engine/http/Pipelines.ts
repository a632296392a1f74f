import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FlowKey } from '../fair';
import { refuseFurtherHeads } from './parser';

export interface PipelineLimits {
  /** Requests of one connection whose responses are not complete. */
  readonly maxInFlight: number;
  /** Memory of all requests whose responses are not complete: those that are handled, and those that wait for earlier ones. */
  readonly maxBytes: number;
}

/** Memory of a request's objects, and of each name and each value beside its characters. */
const REQUEST_BYTES = 8 * 1024;
const HEADER_BYTES = 60;
/** The most of a body that is read ahead, before it is asked for. */
const BODY_BYTES = 128 * 1024;
/** Connections are compared in these steps, so that there are few different numbers. */
const STEP_BYTES = 4 * 1024;

interface Entry {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handle: () => void;
  readonly bytes: number;
}

/** The requests of one connection, oldest first: the first one is handled, the others wait. */
interface Pipeline {
  readonly entries: Entry[];
  caller: FlowKey;
  bytes: number;
}

/** What the requests of one caller hold, and its connections by how many steps theirs hold. */
interface Held {
  bytes: number;
  readonly bySteps: Map<number, Set<Socket>>;
}

/**
 * Handles the requests of each connection one after the other, and bounds how many a client sends ahead before it gets responses
 * (pipelining): Node.js alone parses and handles all that arrive, until the heap ends.
 */
export class Pipelines {
  private readonly pipelines = new Map<Socket, Pipeline>();
  private readonly held = new Map<FlowKey, Held>();
  private bytes = 0;

  constructor(private readonly limits: PipelineLimits) {}

  /**
   * Calls `handle` when the responses to earlier requests of the connection are complete. With too many in flight the connection is
   * closed, and with too many bytes over all connections those whose requests hold most, of the caller whose requests hold most. Requests of
   * a closed connection are dropped.
   */
  serve(request: IncomingMessage, response: ServerResponse, caller: FlowKey, handle: () => void): void {
    const { socket } = request;
    if (socket.destroyed) return;
    const pipeline = this.pipelines.get(socket) ?? this.opened(socket, caller);
    if (pipeline.entries.length >= this.limits.maxInFlight) return this.close(socket);
    if (pipeline.entries.length === 0) pipeline.caller = caller;
    const entry = { request, response, handle, bytes: bytesOf(request) };
    pipeline.entries.push(entry);
    response.on('close', () => this.ended(socket, pipeline, entry));
    this.hold(socket, pipeline, entry.bytes);
    while (this.bytes > this.limits.maxBytes) this.closeLargest();
    if (pipeline.entries.length === 1 && !socket.destroyed) handle();
  }

  /** Returns the responses of a connection that are not complete. */
  responsesOf(socket: Socket): readonly ServerResponse[] {
    return this.pipelines.get(socket)?.entries.map(({ response }) => response) ?? [];
  }

  isIdle(socket: Socket): boolean {
    return (this.pipelines.get(socket)?.entries.length ?? 0) === 0;
  }

  private opened(socket: Socket, caller: FlowKey): Pipeline {
    const pipeline = { entries: [], caller, bytes: 0 };
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
    this.hold(socket, pipeline, -entry.bytes);
    if (next === undefined) return;
    // Requests of other connections come between two of this one.
    setImmediate(() => {
      // Nothing is handled after a response with `Connection: close` (RFC 9112, 9.6).
      if (socket.writable) next.handle();
    });
  }

  private hold(socket: Socket, pipeline: Pipeline, bytes: number): void {
    const held = this.held.get(pipeline.caller) ?? { bytes: 0, bySteps: new Map<number, Set<Socket>>() };
    const stepsOf = (): number => Math.ceil(pipeline.bytes / STEP_BYTES);
    const before = held.bySteps.get(stepsOf());
    before?.delete(socket);
    if (before?.size === 0) held.bySteps.delete(stepsOf());
    pipeline.bytes += bytes;
    held.bytes += bytes;
    this.bytes += bytes;
    const after = held.bySteps.get(stepsOf()) ?? new Set();
    if (pipeline.bytes > 0) held.bySteps.set(stepsOf(), after.add(socket));
    if (held.bytes > 0) this.held.set(pipeline.caller, held);
    else this.held.delete(pipeline.caller);
  }

  /** Closes a connection without a search through all: thousands may exceed the limit together. */
  private closeLargest(): void {
    const { bySteps } = [...this.held.values()].reduce((one, other) => (other.bytes > one.bytes ? other : one));
    const [socket] = bySteps.get(Math.max(...bySteps.keys())) ?? [];
    if (socket !== undefined) this.close(socket);
  }

  private close(socket: Socket): void {
    refuseFurtherHeads(socket);
    socket.destroy();
    // Its `close` comes when what has arrived on all other connections is parsed. Until then its requests would still count.
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

function bytesOf({ rawHeaders, headers, url = '' }: IncomingMessage): number {
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : BODY_BYTES;
  const ofHead = rawHeaders.reduce((sum, { length: characters }) => sum + characters + HEADER_BYTES, url.length);
  return REQUEST_BYTES + ofHead + Math.min(length, BODY_BYTES);
}
