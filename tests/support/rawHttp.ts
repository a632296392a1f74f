import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection on which a test decides about every byte. */
export class RawConnection {
  received = '';
  private readonly closed: Promise<unknown>;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => (this.received += text));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  /** `from` is an address of this machine. */
  static async open(url: string, from = '127.0.0.1'): Promise<RawConnection> {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: from });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Sends bytes; resolves when the kernel has them. */
  send(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()));
  }

  /** Resolves once what was received matches. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.received)) await once(this.socket, 'data');
    return this.received;
  }

  /** Everything that was received until the server closed the connection. */
  async untilClosed(): Promise<string> {
    await this.closed;
    return this.received;
  }
}

/** The head of a request with a JSON body. */
export function head(method: string, path: string, token: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({
    Host: 'localhost',
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
