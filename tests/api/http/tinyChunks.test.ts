import { once } from 'node:events';
import { type AddressInfo, connect, Socket } from 'node:net';
import Koa from 'koa';
import { BoundedRequest } from '../../../api/http/connections/BoundedRequest';
import { createHttpServer } from '../../../api/http/connections/httpServer';
import { eventually } from '../../support/eventually';
import { createCompany } from '../../support/factories';
import { head, RawConnection } from '../../support/rawHttp';
import { startApi, type TestApi } from '../../support/server';

let api: TestApi;
let token: string;
beforeAll(async () => {
  api = await startApi();
  ({ token } = await createCompany(api.services));
});

const chunked = { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' };
const inChunks = (text: string, size: number): string =>
  text.replace(new RegExp(`[^]{1,${size}}`, 'g'), (part) => `${part.length.toString(16)}\r\n${part}\r\n`) + '0\r\n\r\n';

const attack = (method: string, path: string) => head(method, path, token, chunked) + inChunks(' '.repeat(20_000), 1);

test('a body of 20,000 chunks of a byte › 400, and the rest is not parsed', async () => {
  const pushed = jest.spyOn(BoundedRequest.prototype, 'push');
  const client = await RawConnection.open(api.url);
  void client.send(attack('POST', '/api/categories'));
  expect(await client.untilClosed()).toMatch(/^HTTP\/1.1 400 [^]*too many tiny chunks/);
  expect(pushed.mock.calls.length).toBeLessThan(300);
  await api.as(token).get('/api/company').expect(200);
});

test.each([
  ['/healthz', /^HTTP\/1.1 405 /],
  // The key is looked up meanwhile.
  ['/api/events', /^HTTP\/1.1 40[01] /],
])('the same to %s, which reads no body › refused, and few chunks are parsed', async (path, refused) => {
  const pushed = jest.spyOn(BoundedRequest.prototype, 'push');
  const client = await RawConnection.open(api.url);
  void client.send(attack('POST', path).replace(token, 'inv_wrong'));
  expect(await client.untilClosed()).toMatch(refused);
  expect(pushed.mock.calls.length).toBeLessThan(300);
});

test('connections that were refused › leave no parser behind that loses the bodies of others', async () => {
  const clients = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(api.url)));
  for (const client of clients) void client.send(attack('POST', '/healthz'));
  await Promise.all(clients.map((client) => client.untilClosed()));
  const created = Array.from({ length: 20 }, (_, n) =>
    api
      .as(token)
      .post('/api/categories')
      .send({ name: `C${n}` }),
  );
  for (const response of await Promise.all(created)) expect(response.status).toBe(201);
});

test('a request that reads no body, and whose refused one has ended › is responded to, and its connection closed: it would lose the next body', async () => {
  const client = await RawConnection.open(api.url);
  void client.send(head('GET', '/api/company', token, chunked) + inChunks(' '.repeat(300), 1));
  const [headers] = (await client.untilClosed()).split('\r\n\r\n');
  expect(headers).toMatch(/^HTTP\/1.1 200 [^]*\r\nConnection: close/);
});

test('a body of 250 chunks of a byte, and a long one in chunks of 64 › accepted', async () => {
  const bodies = [inChunks(JSON.stringify({ name: 'Short' }).padEnd(250), 1)];
  bodies.push(inChunks(JSON.stringify({ name: 'Long' }).padEnd(200_000), 64));
  for (const body of bodies) {
    const client = await RawConnection.open(api.url);
    void client.send(head('POST', '/api/categories', token, { ...chunked, Connection: 'close' }) + body);
    expect(await client.untilClosed()).toMatch(/^HTTP\/1.1 201 /);
  }
});

test('240 connections with 250 chunks of a byte each at the same time › are read in pieces, and all get a response', async () => {
  const clients = await Promise.all(Array.from({ length: 240 }, () => RawConnection.open(api.url)));
  const sent = head('POST', '/api/categories', token, { ...chunked, Connection: 'close' });
  await Promise.all(clients.map((client) => client.send(sent)));
  await api.as(token).get('/api/company').expect(200);
  const pushed = jest.spyOn(BoundedRequest.prototype, 'push');
  const inOneIteration: number[] = [];
  const counting = setInterval(() => {
    inOneIteration.push(pushed.mock.calls.length);
    pushed.mockClear();
  }, 0);
  const body = inChunks(JSON.stringify({ name: 'Short' }).padEnd(250), 1);
  for (const client of clients) void client.send(body);
  const responses = await Promise.all(clients.map((client) => client.untilClosed()));
  clearInterval(counting);
  for (const response of responses) expect(response).toMatch(/^HTTP\/1.1 (201|409) /);
  expect(Math.max(...inOneIteration)).toBeLessThan(40_000);
});

test('a request whose connection is paused for others › does not resume it, and is not too slow', () => {
  const socket = new Socket();
  const request = new BoundedRequest(socket);
  const resumed = jest.spyOn(socket, 'resume');
  request.connectedBy = { pausedFor: 'a network', isHeld: false, received: () => undefined, refused: () => undefined };
  request.resume();
  request.read();
  expect([request.isPaused(), resumed.mock.calls.length]).toEqual([true, 0]);
});

test('a request whose client sends little with each piece › does not resume it, and may be too slow', () => {
  const socket = new Socket();
  const request = new BoundedRequest(socket);
  const resumed = jest.spyOn(socket, 'resume');
  request.connectedBy = { pausedFor: null, isHeld: true, received: () => undefined, refused: () => undefined };
  request.resume();
  request.read();
  expect([request.isPaused(), resumed.mock.calls.length]).toEqual([false, 0]);
});

test('a request that was refused › leaves the connections that are read in turns, and resumes its own no more', () => {
  const socket = new Socket();
  const request = new BoundedRequest(socket);
  const [refused, resumed] = [jest.fn(), jest.spyOn(socket, 'resume')];
  request.connectedBy = { pausedFor: null, isHeld: false, received: () => undefined, refused };
  for (let chunks = 0; chunks < 300; chunks++) request.push(Buffer.from('x'));
  request.read();
  expect([refused.mock.calls.length, socket.isPaused(), request.isPaused()]).toEqual([1, true, true]);
  resumed.mockClear();
  request.resume();
  request.read();
  expect(resumed).not.toHaveBeenCalled();
});

test('clients that never end their sides, or their chunks › are not read any more, and disconnected after the response', async () => {
  const app = Object.assign(new Koa(), { silent: true }).use(({ req }) => once(req.resume(), 'close'));
  const { server } = createHttpServer(app, api.services.config.limits);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const accepted: Socket[] = [];
  server.on('connection', (socket) => accepted.push(socket));
  const endless = Buffer.from(head('POST', '/', token, chunked) + '1\r\n \r\n'.repeat(500_000));
  const clients = Array.from({ length: 40 }, () => {
    const to = { port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true };
    const client = connect(to);
    client
      .on('error', () => undefined)
      .resume()
      .write(endless);
    return client;
  });
  await eventually(() => accepted.length === clients.length);
  await Promise.all(accepted.map((socket) => once(socket, 'close')));
  expect(Math.max(...accepted.map(({ bytesRead }) => bytesRead))).toBeLessThan(256 * 1024);
  clients.forEach((client) => client.destroy());
  server.close();
});

test('a body that came in many tiny pieces › delays no later request of its connection, which behind a proxy is another’s', async () => {
  const app = new Koa().use(async ({ req, res }) => {
    await once(req.resume(), 'end');
    res.end();
  });
  const { server } = createHttpServer(app, api.services.config.limits);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  const [socket] = await accepted;
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n');
  await eventually(() => socket.bytesRead > 0);
  // After 32 of them the connection rests for a while.
  let left = 40;
  for (; left > 1 && !socket.isPaused(); left--) {
    const { bytesRead } = socket;
    client.write('x');
    await eventually(() => socket.bytesRead > bytesRead || socket.isPaused());
  }
  expect(left).toBeGreaterThan(1);
  const response = once(client, 'data');
  client.write('x'.repeat(left));
  await response;
  expect(socket.isPaused()).toBe(false);
  client.destroy();
  server.close();
});

test('tiny chunks that nothing reads yet › share their memory', () => {
  const request = new BoundedRequest(new Socket());
  // Memory of its own, as Node.js gives it to each chunk.
  request.push(Buffer.alloc(1, 'a'));
  const chunk = request.read() as Buffer;
  expect([chunk.toString(), chunk.buffer.byteLength]).toEqual(['a', Buffer.poolSize]);
});
