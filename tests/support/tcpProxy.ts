import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import './installation';

/** A way to a server that can be taken away and given back. */
export interface TcpProxy {
  /** The address of the server, through the proxy. */
  readonly url: string;
  /** Breaks every connection and refuses new ones, as a server that has died. */
  cut(): void;
  /** Lets nothing through any more and keeps the connections, as a server that has frozen. */
  freeze(): void;
  /** Everything works again; what was frozen goes on. */
  restore(): void;
}

const closers: (() => Promise<void>)[] = [];
// Registered after the one of the installation, so that what was opened through a proxy is closed before it.
afterAll(() => Promise.all(closers.splice(0).map((close) => close())));

/** Starts a proxy to the server that the URL names; it ends after the file's last test. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'frozen' = 'open';

  const server = createServer((client) => {
    if (state === 'cut') return void client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (chunk: Buffer) => void to.write(chunk));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (state === 'frozen') from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => sockets.forEach((socket) => socket.destroy());
  closers.push(async () => {
    const closed = once(server, 'close');
    server.close();
    breakAll();
    await closed;
  });

  const url = new URL(target);
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
      sockets.forEach((socket) => socket.pause());
    },
    restore: () => {
      state = 'open';
      sockets.forEach((socket) => socket.resume());
    },
  };
}
