import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy whose connections can be broken and restored. */
export interface TcpProxy {
  /** The address of the server, through the proxy. */
  readonly url: string;
  /** Breaks every connection and refuses new ones, as after the server's death. */
  cut(): void;
  /** Passes nothing on and keeps the connections, as if the server were frozen. */
  freeze(): void;
  /**
   * Passes nothing on over the current connections, not even their end, as when a firewall drops them or a machine
   * loses power. New connections work.
   */
  vanish(): void;
  /** Delays the server's data by `ms` from now on; 0 for no delay. */
  delay(ms: number): void;
  /** Passes everything on again. Frozen connections continue, vanished ones are closed. */
  restore(): void;
  /** Breaks every connection and stops listening. */
  close(): Promise<void>;
}

interface Pair {
  readonly sockets: readonly [Socket, Socket];
  vanished: boolean;
}

/** Starts a proxy to the server that `target` names when a connection is made. */
export async function openTcpProxy(target: () => string): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let delayMs = 0;

  const server = createServer((client) => {
    if (state === 'cut') return void client.destroy();
    const { hostname, port } = new URL(target());
    const upstream = connect(Number(port), hostname);
    const pair: Pair = { sockets: [client, upstream], vanished: false };
    pairs.add(pair);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.setNoDelay(true);
      const pass = (chunk: Buffer): void => void (pair.vanished || to.destroyed || to.write(chunk));
      from.on('data', (chunk: Buffer) => {
        if (from === upstream && delayMs > 0) setTimeout(() => pass(chunk), delayMs);
        else pass(chunk);
      });
      from.on('end', () => void (pair.vanished || to.end()));
      from.on('error', () => void (pair.vanished || to.destroy()));
      from.on('close', () => {
        if (pair.vanished) return;
        pairs.delete(pair);
        to.destroy();
      });
      if (state === 'frozen') from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const each = (act: (socket: Socket, pair: Pair) => void): void =>
    pairs.forEach((pair) => pair.sockets.forEach((socket) => act(socket, pair)));
  const breakAll = (): void => each((socket) => socket.destroy());
  const url = new URL(target());
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut: () => {
      state = 'cut';
      breakAll();
    },
    freeze: () => {
      state = 'frozen';
      each((socket) => socket.pause());
    },
    vanish: () => pairs.forEach((pair) => (pair.vanished = true)),
    delay: (ms) => void (delayMs = ms),
    restore: () => {
      state = 'open';
      each((socket, { vanished }) => (vanished ? socket.destroy() : socket.resume()));
      for (const pair of pairs) if (pair.vanished) pairs.delete(pair);
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      breakAll();
      await closed;
    },
  };
}
