import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { companyOf, type FlowKey } from '../../../shared/engine/fair';
import { onRead, Pipelines } from '../../../shared/engine/http';
import { clientNetwork } from '../limits/clientNetwork';
import { apiKeyOf } from '../middleware/authenticate';
import { Arrivals, type Arriving } from './Arrivals';
import { type BoundedRequest, MIN_CHUNK_BYTES } from './BoundedRequest';
import { Networks, type Network } from './Networks';

/** Clients that pipeline send fewer requests ahead; most send one at a time. 8,000 requests with usual headers count as 80 MB. */
const PIPELINES = { maxInFlight: 4, maxBytes: 128 * 1024 * 1024 };

/**
 * Bytes that a connection may send beyond its requests and twice their content: four times the longest head. Node.js skips any number of blank
 * lines between requests, zeros before the size of a chunk and spaces in a trailer, and reports none of them.
 */
const MOST_WITHOUT_CONTENT = 32 * 1024;
/** Reads in a row that may bring little content and no end of a head: some clients send each header by itself. */
const MOST_SMALL_READS = 32;

/** Valid keys that are known. */
const MAX_KNOWN = 10_000;

interface Connection extends Arriving {
  readonly network: Network;
  /** Since when no byte has arrived and no request was in progress. */
  silentSince: number;
  bytesRead: number;
  /** Up to where it may be read before more content or the next request arrives. */
  mayRead: number;
  /** Reads since the last request or larger piece of content. */
  smallReads: number;
  readonly received: (chunk: Buffer | null) => void;
  readonly refused: () => void;
}

/** The open connections of an HTTP server, and their requests. Closes them in order when the server stops. */
export class Connections {
  /** When the newest connection was accepted. */
  lastOpenedAt = 0;
  private readonly open = new Map<Socket, Connection>();
  private readonly networks = new Networks();
  private readonly pipelines = new Pipelines(PIPELINES);
  private readonly arrivals = new Arrivals();
  /** The companies of the keys that were valid lately, by the `Authorization` that had them. */
  private readonly companies = new LRUCache<string, number>({ max: MAX_KNOWN });
  private isLastRequest = false;
  private turn: Promise<void> | null = null;

  /**
   * A new connection beyond `max` closes one of the network that has most of them, so that a client which opens many loses its own:
   * the one that has been idle longest, or the oldest one if none is idle. All networks that have sent no valid key count together, since
   * one client may have any number of them.
   */
  constructor(
    server: Server,
    private readonly max: number,
  ) {
    server.on('connection', (socket) => this.opened(socket));
  }

  get all(): readonly Socket[] {
    return [...this.open.keys()];
  }

  isOpen(socket: Socket): boolean {
    return this.open.has(socket);
  }

  /** Handles a request on one of the connections, after the earlier ones of this connection. */
  serve(request: BoundedRequest, response: ServerResponse, handle: () => Promise<void>): void {
    const { socket } = request;
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    const { network } = connection;
    this.networks.change(network, () => network.idle.delete(socket));
    if (this.isLastRequest) response.shouldKeepAlive = false;
    const caller = this.callerOf(request, network);
    Object.assign(connection, { caller, smallReads: 0, mayRead: socket.bytesRead + MOST_WITHOUT_CONTENT });
    request.connectedBy = connection;
    this.arrivals.arrived();
    // All callers without a known key hold together: one may have any number of networks.
    this.pipelines.serve(request, response, companyOf(caller), () =>
      this.arrivals.begin(caller, () => {
        if (this.open.has(socket)) void this.handleInTurn(handle);
      }),
    );
    response.on('close', () => {
      this.note(request, response, network);
      this.ended(socket, connection);
    });
  }

  /** Responds to what is no request in the turn of its network. Stops reading: a second error would close it without a response. */
  refuse(socket: Socket, respond: () => void): void {
    const connection = this.open.get(socket);
    if (connection === undefined) return respond();
    connection.refused();
    socket.pause();
    this.arrivals.arrived();
    this.arrivals.begin(connection.network.name, respond);
  }

  /** Sends `Connection: close` with every response from now on, including those in progress. */
  announceEnd(): void {
    this.isLastRequest = true;
    for (const socket of this.open.keys()) {
      for (const response of this.pipelines.responsesOf(socket)) response.shouldKeepAlive = false;
    }
  }

  /** Lets requests that arrive from now on wait for `turn`. */
  hold(turn: Promise<void>): void {
    this.turn = turn;
  }

  /** Closes connections that have been idle for `ms`: first our side, and after the same time again the whole connection. */
  endSilent(ms: number): void {
    const now = Date.now();
    for (const [socket, connection] of this.open) {
      const mayHaveSent = connection.pausedFor !== null || connection.bytesRead !== socket.bytesRead;
      if (mayHaveSent || !this.pipelines.isIdle(socket)) {
        connection.bytesRead = socket.bytesRead;
        connection.silentSince = now;
      } else if (now - connection.silentSince >= ms) {
        connection.silentSince = now;
        if (socket.writableEnded) socket.destroy();
        else socket.end();
      }
    }
  }

  /**
   * Returns the company of a request with a known key. All others of a network count together, behind a proxy those of all callers: one
   * caller may send any number of invalid keys.
   */
  private callerOf({ headers }: BoundedRequest, network: Network): FlowKey {
    return this.companies.get(apiKeyOf(headers) ?? '') ?? network.name;
  }

  private note({ companyId, headers }: BoundedRequest, { statusCode }: ServerResponse, network: Network): void {
    const key = apiKeyOf(headers) ?? '';
    // A key that was revoked counts no longer as its company's.
    if (statusCode === 401) this.companies.delete(key);
    if (companyId === null) return;
    if (!network.isKnown) this.networks.change(network, () => (network.isKnown = true));
    if (key !== '') this.companies.set(key, companyId);
  }

  private async handleInTurn(handle: () => Promise<void>): Promise<void> {
    if (this.turn !== null) await this.turn;
    await handle();
  }

  private opened(socket: Socket): void {
    this.lastOpenedAt = Date.now();
    const network = this.networks.named(clientNetwork(socket.remoteAddress ?? ''));
    this.networks.change(network, () => network.open.add(socket));
    const connection: Connection = {
      ...{ socket, network, silentSince: Date.now(), bytesRead: 0 },
      ...{ caller: network.name, pausedFor: null, isHeld: false, smallReads: 0, mayRead: MOST_WITHOUT_CONTENT },
      received: (chunk) => {
        if (chunk === null) {
          // The next request is another's, behind a proxy.
          connection.smallReads = 0;
          connection.mayRead = socket.bytesRead + MOST_WITHOUT_CONTENT;
        } else {
          if (chunk.length >= MIN_CHUNK_BYTES) connection.smallReads = 0;
          connection.mayRead += 2 * chunk.length;
          this.arrivals.chunkArrived();
        }
      },
      refused: () => {
        // What was read already is parsed. The rest is not read.
        connection.mayRead = Infinity;
        this.arrivals.closed(connection);
      },
    };
    onRead(socket, () => {
      this.arrivals.chunkArrived();
      if (socket.bytesRead > connection.mayRead) socket.destroy();
      else if (++connection.smallReads > MOST_SMALL_READS) this.arrivals.readRarely(connection);
    });
    this.open.set(socket, connection);
    this.arrivals.opened(connection);
    // Thousands may end together.
    socket.once('end', () => this.arrivals.ended());
    socket.once('close', () => this.closed(connection));
    if (this.open.size > this.max) this.evict();
    // Only now: while all others are busy, the new one would be the idle one that is closed.
    this.networks.change(network, () => network.idle.add(socket));
  }

  private evict(): void {
    const { last } = this.networks;
    last?.destroy();
    const connection = last && this.open.get(last);
    // Immediately: a socket that cannot be closed does not stay the first one to be.
    if (connection !== undefined) this.closed(connection);
  }

  private ended(socket: Socket, connection: Connection): void {
    connection.silentSince = Date.now();
    if (!this.pipelines.isIdle(socket)) return;
    const { network } = connection;
    if (this.open.has(socket)) this.networks.change(network, () => network.idle.add(socket));
  }

  private closed(connection: Connection): void {
    const { socket, network } = connection;
    this.open.delete(socket);
    this.arrivals.closed(connection);
    this.networks.change(network, () => [network.open, network.idle].forEach((sockets) => sockets.delete(socket)));
  }
}
