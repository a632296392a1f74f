import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** Responses that are not complete: one, and those to the requests that were sent before it was (pipelining). */
  readonly inProgress: ServerResponse[];
  /** Since when no byte has come and no request was in progress. */
  silentSince: number;
  bytesRead: number;
}

/** The open connections of an HTTP server, and what they are told when it stops. */
export class Connections {
  /** When the newest one was accepted. */
  lastOpenedAt = 0;
  private readonly open = new Map<Socket, Connection>();
  /** The one that has been idle longest comes first. */
  private readonly idle = new Set<Socket>();
  private isLastRequest = false;
  private turn: Promise<void> | null = null;

  /** Beyond `max` connections the one that has been idle longest is closed for a new one. */
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

  /** Handles a request of one of the connections. */
  async serve(request: IncomingMessage, response: ServerResponse, handle: () => Promise<void>): Promise<void> {
    const { socket } = request;
    const connection = this.open.get(socket);
    this.idle.delete(socket);
    if (connection !== undefined) {
      connection.inProgress.push(response);
      response.once('close', () => this.ended(socket, connection, response));
    }
    if (this.isLastRequest) response.shouldKeepAlive = false;
    if (this.turn !== null) await this.turn;
    await handle();
  }

  /** From now on every response says `Connection: close`, those in progress included. */
  announceEnd(): void {
    this.isLastRequest = true;
    for (const { inProgress } of this.open.values()) {
      for (const response of inProgress) response.shouldKeepAlive = false;
    }
  }

  /** Lets requests that come from now on wait for `turn`. */
  hold(turn: Promise<void>): void {
    this.turn = turn;
  }

  /** Closes connections on which nothing has happened for `ms`: first our side, then, as long again later, all of it. */
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
