import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Pipelines } from '../../../../shared/engine/http/Pipelines';
import { eventually } from '../../../support/eventually';
import { RawConnection } from '../../../support/rawHttp';

const KIB = 1024;
const limits = { maxInFlight: 3, maxBytes: 1024 * KIB };
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const bodyOf = (text: string): string[] => [...text.matchAll(/\r\n\r\n\d+\r\n(\/\w+)/g)].map(([, path = '']) => path);

interface Handled {
  readonly path: string;
  respond(): void;
}

/** A server whose requests are handled when the test says so. */
async function serve(given = limits) {
  const pipelines = new Pipelines(given);
  const handled: Handled[] = [];
  const counts = { parsed: 0 };
  const handle = ({ url: path = '' }: IncomingMessage, response: ServerResponse): void => {
    handled.push({ path, respond: () => void response.writeHead(200, { 'Transfer-Encoding': 'chunked' }).end(path) });
  };
  const server = createServer((request, response) => {
    counts.parsed++;
    const { remoteAddress = '' } = request.socket;
    pipelines.serve(request, response, remoteAddress, () => handle(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close.push(() => server.close().closeAllConnections());
  return { url, handled, counts };
}

const close: (() => void)[] = [];
afterEach(() => close.splice(0).forEach((one) => one()));

test('requests that are sent at the same time › are handled one after the other, and their responses are in order', async () => {
  const { url, handled } = await serve();
  const client = await RawConnection.open(url);
  await client.send(['/a', '/b', '/c'].map(get).join(''));
  for (const path of ['/a', '/b', '/c']) {
    await eventually(() => handled.at(-1)?.path === path);
    handled.at(-1)?.respond();
  }
  await client.send(get('/d'));
  await eventually(() => handled.length === 4);
  handled[3]?.respond();
  await client.until(/\/d\r\n0\r\n/);
  expect(bodyOf(client.received)).toEqual(['/a', '/b', '/c', '/d']);
});

test.each([
  ['of which one is handled', 0],
  ['after others had their responses', 2],
])('more requests than may be in flight, %s › close the connection; the rest is not even parsed', async (_, before) => {
  const { url, handled, counts } = await serve();
  const client = await RawConnection.open(url);
  for (let turn = 0; turn < before; turn++) {
    await client.send(get('/before'));
    await eventually(() => handled.length === turn + 1);
    handled[turn]?.respond();
    await client.until(new RegExp(`(/before[^]*){${turn + 1}}0\r\n`));
  }
  void client.send(get('/x').repeat(20_000));
  await client.untilClosed();
  expect([counts.parsed, handled.length]).toEqual([before + 4, before + 1]);
  handled.at(-1)?.respond();
});

test('a request after a response with Connection: close › is not handled', async () => {
  const pipelines = new Pipelines(limits);
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    pipelines.serve(request, response, 'a caller', () => {
      paths.push(request.url);
      response.setHeader('Connection', 'close').end();
    });
  }).listen(0, '127.0.0.1');
  close.push(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const client = await RawConnection.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await client.send(get('/a') + get('/b'));
  await client.untilClosed();
  expect(paths).toEqual(['/a']);
});

test('more bytes of requests over all connections than they may hold › close the connection whose requests hold most', async () => {
  // Room for four requests, or for one with a body.
  const { url, handled } = await serve({ maxInFlight: 3, maxBytes: 40 * KIB });
  const [few, many] = [await RawConnection.open(url), await RawConnection.open(url)];
  await many.send(['/a', '/b', '/c'].map(get).join(''));
  await eventually(() => handled.length === 1);
  await few.send(['/d', '/e'].map(get).join(''));
  await many.untilClosed();
  expect(handled.map(({ path }) => path)).toEqual(['/a', '/d']);
  handled[1]?.respond();
  await eventually(() => handled.length === 3);
  handled[2]?.respond();
  await few.until(/\/e\r\n0\r\n/);

  const body = await RawConnection.open(url);
  await body.send('POST /g HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n1');
  await body.untilClosed();
  // What requests of closed connections held is free again.
  await few.send(['/h', '/i', '/j'].map(get).join(''));
  await eventually(() => handled.at(-1)?.path === '/h');
});

test('more bytes than requests may hold › close a connection of the caller whose requests hold most together', async () => {
  // Room for five requests.
  const { url, handled } = await serve({ maxInFlight: 3, maxBytes: 45 * KIB });
  const own = await RawConnection.open(url, '127.0.0.2');
  await own.send(get('/a') + get('/b'));
  await eventually(() => handled.length === 1);
  const others = await Promise.all(Array.from({ length: 4 }, () => RawConnection.open(url)));
  for (const other of others) await other.send(get('/c'));
  await eventually(() => others.some(({ socket }) => socket.closed));
  handled[0]?.respond();
  await own.until(/\/a\r\n0\r\n/);
  await eventually(() => handled.at(-1)?.path === '/b');
  handled.at(-1)?.respond();
  await own.until(/\/b\r\n0\r\n/);
});

test('more bytes than requests may hold, and as many of several connections › close the one whose last request came first', async () => {
  // Room for seven requests.
  const { url, counts } = await serve({ maxInFlight: 3, maxBytes: 60 * KIB });
  const [older, newer, third] = [
    await RawConnection.open(url),
    await RawConnection.open(url),
    await RawConnection.open(url),
  ];
  for (const client of [older, newer]) await client.send(get('/a'));
  await eventually(() => counts.parsed === 2);
  await newer.send(get('/b') + get('/c'));
  await eventually(() => counts.parsed === 4);
  await older.send(get('/b') + get('/c'));
  await eventually(() => counts.parsed === 6);
  await third.send(get('/a') + get('/b'));
  await newer.untilClosed();
  expect([older, newer, third].map(({ socket }) => socket.destroyed)).toEqual([false, true, false]);
});

test('more bytes than requests may hold that arrive in one iteration of the event loop › close as many connections as they need', async () => {
  const pipelines = new Pipelines({ maxInFlight: 3, maxBytes: 30 * KIB });
  const server = createServer().listen(0, '127.0.0.1');
  close.push(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) {
    for (let request = 0; request < 3; request++) {
      const incoming = new IncomingMessage(socket);
      pipelines.serve(incoming, new ServerResponse(incoming), 'a caller', () => undefined);
    }
  }
  // No connection has reported its end yet.
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, true, false]);
  sockets.forEach((socket) => socket.destroy());
});

test('connections that are closed after a response, while requests wait › leave no more room than before', async () => {
  const { url, handled } = await serve({ maxInFlight: 3, maxBytes: 40 * KIB });
  for (let turn = 0; turn < 3; turn++) {
    const leaving = await RawConnection.open(url);
    await leaving.send(get('/first'));
    await eventually(() => handled.length === 2 * turn + 1);
    handled.at(-1)?.respond();
    await leaving.until(/\/first\r\n0\r\n/);
    await leaving.send(['/second', '/waits'].map(get).join(''));
    await eventually(() => handled.length === 2 * turn + 2);
    leaving.socket.destroy();
  }
  const [few, many] = [await RawConnection.open(url), await RawConnection.open(url)];
  await many.send(['/a', '/b', '/c'].map(get).join(''));
  await eventually(() => handled.at(-1)?.path === '/a');
  await few.send(['/d', '/e'].map(get).join(''));
  await many.untilClosed();
});

test('requests with large headers, one on each connection › are bounded too; one with usual headers is served', async () => {
  const { url, handled } = await serve({ maxInFlight: 3, maxBytes: 70 * KIB });
  const large = `GET /large HTTP/1.1\r\nHost: x\r\n${`a: ${'x'.repeat(70)}\r\n`.repeat(95)}\r\n`;
  const usual = await RawConnection.open(url);
  await usual.send(get('/usual'));
  await eventually(() => handled.length === 1);
  const others: RawConnection[] = [];
  for (let count = 0; count < 4; count++) {
    const other = await RawConnection.open(url);
    others.push(other);
    await other.send(large);
    await eventually(() => handled.length === Math.min(3, count + 2) || others.some(({ socket }) => socket.closed));
  }
  await eventually(() => others.filter(({ socket }) => socket.closed).length === 2);
  handled[0]?.respond();
  await usual.until(/\/usual\r\n0\r\n/);
});
