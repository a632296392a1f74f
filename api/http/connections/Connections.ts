import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** Responses that are not complete: more than one where the client sends requests before it gets responses (pipelining). */
  readonly inProgress: ServerResponse[];
  /** Since when no byte has arrived and no request was in progress. */
  silentSince: number;
  bytesRead: number;
}

/** The open connections of an HTTP server. Closes them in order when the server stops. */
export class Connections {
  /** When the newest connection was accepted. */
  lastOpenedAt = 0;
  private readonly open = new Map<Socket, Connection>();
  /** The connection that has been idle longest comes first. */
  private readonly idle = new Set<Socket>();
  private isLastRequest = false;
  private turn: Promise<void> | null = null;

  /** A new connection beyond `max` closes the one that has been idle longest. */
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

  /** Handles a request on one of the connections. */
  async serve(request: IncomingMessage, response: ServerResponse, handle: () => Promise<void>): Promise<void> {
    const { socket } = request;
    const connection = this.open.get(socket);
    this.idle.delete(socket);
    if (connection !== undefined) {
      connection.inProgress.push(response);
      response.on('close', () => this.ended(socket, connection, response));
    }
    if (this.isLastRequest) response.shouldKeepAlive = false;
    if (this.turn !== null) await this.turn;
    await handle();
  }

  /** Sends `Connection: close` with every response from now on, including those in progress. */
  announceEnd(): void {
    this.isLastRequest = true;
    for (const { inProgress } of this.open.values()) {
      for (const response of inProgress) response.shouldKeepAlive = false;
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
      if (connection.inProgress.length > 0 || connection.bytesRead !== socket.bytesRead) {
        connection.bytesRead = socket.bytesRead;
        connection.silentSince = now;
      } else if (now - connection.silentSince >= ms) {
        connection.silentSince = now;
        if (socket.writableEnded) socket.destroy();
        else socket.end();
      }
    }
  }

  private opened(socket: Socket): void {
    this.lastOpenedAt = Date.now();
    this.open.set(socket, { inProgress: [], silentSince: Date.now(), bytesRead: 0 });
    this.idle.add(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      this.idle.delete(socket);
    });
    if (this.open.size <= this.max) return;
    const [longestIdle] = this.idle;
    longestIdle?.destroy();
  }

  private ended(socket: Socket, connection: Connection, response: ServerResponse): void {
    connection.inProgress.splice(connection.inProgress.indexOf(response), 1);
    connection.silentSince = Date.now();
    if (connection.inProgress.length === 0 && this.open.has(socket)) this.idle.add(socket);
  }
}
