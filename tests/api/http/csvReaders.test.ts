import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '../../support/eventually';
import { atEnd } from '../../support/installation';
import { createLargeInvoices } from '../../support/largeInvoices';
import { heldByBuffers } from '../../support/memory';
import { startApi, type TestApi } from '../../support/server';

const MIB = 1024 * 1024;
const INVOICES = 60;
const list = '/api/invoices?items=rows';
let api: TestApi;
let token: string;

beforeAll(async () => {
  api = await startApi({ env: { MAX_RATE_MB: '1000' } });
  ({ token } = await createLargeInvoices(api.services, INVOICES));
});

/** Asks for an export on a connection of its own, and reads nothing of it yet. */
async function ask(url: string, key: string, headers = ''): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  atEnd(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(
    `GET ${list} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nAccept: text/csv\r\n${headers}Connection: close\r\n\r\n`,
  );
  await once(socket, 'readable');
  return socket;
}

/** Resolves with what has arrived and arrives until the connection ends. */
async function restOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

/** The chunk of a chunked response that says that all of it has been sent (RFC 9112, 7.1). */
const LAST_CHUNK = '\r\n0\r\n\r\n';
const canExport = (on = api): Promise<boolean> =>
  eventually(async () => {
    const response = await fetch(`${on.url}/api/clients`, {
      headers: { Authorization: `Bearer ${token}`, Accept: 'text/csv' },
    });
    await response.text();
    return response.ok;
  });

describe('a reader of an export', () => {
  test('that takes nothing › is cut off before the last chunk, and the company may export again', async () => {
    const impatient = await startApi({ env: { MAX_RATE_MB: '1000' }, stalledAfterMs: 500 });
    const warn = jest.spyOn(impatient.services.log, 'warn');
    const socket = await ask(impatient.url, token);
    await eventually(() => warn.mock.calls.some(([, text]) => String(text).startsWith('a response is cut off')));
    const text = await restOf(socket);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text.endsWith(LAST_CHUNK)).toBe(false);
    await canExport(impatient);
  });

  test('that disconnects › ends the reading of its rows, and the company may export again', async () => {
    const read = jest.spyOn(api.services.sequelize.connectionManager, 'getConnection');
    const socket = await ask(api.url, token);
    socket.destroy();
    await canExport();
    // Its records are large, so each is a statement of its own.
    expect(read.mock.calls.length).toBeLessThan(INVOICES);
  });

  test('one for each connection of the pool, all slow › other requests find the whole pool', async () => {
    const few = await startApi({ env: { DATABASE_POOL_SIZE: '2', MAX_RATE_MB: '1000' } });
    const companies = await Promise.all([1, 2, 3].map(() => createLargeInvoices(few.services, 20)));
    const readers = await Promise.all(companies.map((company) => ask(few.url, company.token)));
    const { pool } = few.services.sequelize.connectionManager as unknown as { pool: { using: number } };
    await eventually(() => pool.using === 0);
    await few.as(token).get('/api/invoices?limit=1').expect(200);
    for (const text of await Promise.all(readers.map(restOf))) expect(text.endsWith(LAST_CHUNK)).toBe(true);
  });

  test('that takes 40 MB › makes the process hold a few of them at a time', async () => {
    const before = heldByBuffers();
    const socket = await ask(api.url, token);
    let taken = 0;
    let measuredAt = 0;
    let most = 0;
    let end = '';
    socket.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      end = (end + chunk.subarray(-LAST_CHUNK.length).toString('latin1')).slice(-LAST_CHUNK.length);
      if (taken - measuredAt < 4 * MIB) return;
      measuredAt = taken;
      most = Math.max(most, heldByBuffers() - before);
    });
    await once(socket.resume(), 'close');
    expect(taken).toBeGreaterThan(30 * MIB);
    expect(end).toBe(LAST_CHUNK);
    expect(most).toBeLessThan(8 * MIB);
  });
});

describe.each([
  ['plain', ''],
  ['compressed', 'Accept-Encoding: gzip\r\n'],
])('an export, %s, of which MySQL is lost in the middle', (_how, headers) => {
  test('never ends like a complete one', async () => {
    const socket = await ask(api.url, token, headers);
    jest.spyOn(api.services.sequelize.connectionManager, 'getConnection').mockRejectedValue(new Error('lost'));
    const text = await restOf(socket);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text.endsWith(LAST_CHUNK)).toBe(false);
    jest.restoreAllMocks();
    await canExport();
  });
});
