import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { OpenResponses } from '../../../../api/http/limits/OpenResponses';
import { createLogger } from '../../../../shared/engine/log/log';
import { eventually } from '../../../support/eventually';

const MIB = 1024 * 1024;
/** Four times as much may stay with the system, half of it for one company. */
const IN_PROCESS = 4 * MIB;
const SHARE = 8 * MIB;
const [one, two] = [1, 2];
const body = Buffer.alloc(10 * MIB);
const READ = 7 * MIB;

let open: OpenResponses;
let server: Server;
let readers: Socket[] = [];

beforeEach(async () => {
  open = new OpenResponses(IN_PROCESS, createLogger('silent', 'test'), { stalledAfterMs: 10_000 });
  // A connection that the server closes for being idle keeps its bytes, and cannot be cut off.
  server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    open.watch(response);
    const company = Number(request.headers.company);
    if (isRefused(company)) return response.writeHead(503, { Connection: 'close' }).end();
    open.hold(response, company, 1);
    if (request.method === 'GET') return response.end(body);
    let read = 0;
    return request.on('data', ({ length }: Buffer) => {
      if ((read += length) >= READ) request.pause();
    });
  }).listen(0);
  await once(server, 'listening');
});
afterEach(() => {
  for (const reader of readers) reader.destroy();
  readers = [];
  server.close();
});

const port = (): number => (server.address() as AddressInfo).port;

/** Asks for a response, reads so much of it that the system takes megabytes ahead, and stops. */
async function stopReading(company: number, address: string, connection = 'keep-alive'): Promise<Socket> {
  const reader = connect(port(), address);
  readers.push(reader);
  // Those that are cut off.
  reader.on('error', () => reader.destroy());
  reader.write(`GET / HTTP/1.1\r\nHost: a\r\nCompany: ${company}\r\nConnection: ${connection}\r\n\r\n`);
  await new Promise<void>((stopped) =>
    reader.once('close', stopped).on('data', () => {
      if (reader.bytesRead < READ) return;
      reader.pause();
      stopped();
    }),
  );
  return reader;
}

/** Sends a body without an end, of which the server reads so much that the system takes megabytes ahead. */
async function sendUnread(company: number, address: string): Promise<Socket> {
  const sender = connect(port(), address);
  readers.push(sender);
  sender.on('error', () => sender.destroy());
  sender.write(`POST / HTTP/1.1\r\nHost: a\r\nCompany: ${company}\r\nContent-Length: ${100 * body.length}\r\n\r\n`);
  while (sender.bytesWritten - sender.writableLength < READ && !sender.destroyed) {
    if (!sender.write(Buffer.alloc(MIB))) await Promise.race([once(sender, 'drain'), once(sender, 'close')]);
  }
  for (let count = 0; count < 8; count++) sender.write(Buffer.alloc(MIB));
  return sender;
}

/** Returns what the system keeps of the connections of the server. */
function kept(): number {
  const local = new RegExp(`^ *\\d+: [0-9A-F]+:${port().toString(16).toUpperCase().padStart(4, '0')} `);
  const lines = ['/proc/net/tcp', '/proc/net/tcp6']
    .filter((table) => existsSync(table))
    .flatMap((table) => {
      return readFileSync(table, 'latin1')
        .split('\n')
        .filter((line) => local.test(line));
    });
  const numbers = lines.flatMap((line) => / ([0-9A-F]{8}):([0-9A-F]{8}) /.exec(line)?.slice(1) ?? []);
  return numbers.reduce((sum, bytes) => sum + parseInt(bytes, 16), 0);
}

describe.each(['127.0.0.1', '::1'])('what the system keeps of the connections of %s', (address) => {
  test('› is at most a share of unread responses for each company: the connections with most are cut off, and those of others are not', async () => {
    const other = await stopReading(two, address);
    for (let count = 0; count < 12; count++) await stopReading(one, address);

    await eventually(() => kept() <= SHARE + body.length - READ);
    other.removeAllListeners('data').resume();
    await eventually(() => other.bytesRead > body.length);
  });

  test('› counts requests that are not read: the connections with most are cut off, and those of others are not', async () => {
    const other = await sendUnread(two, address);
    const senders: Socket[] = [];
    const isCut = (): boolean => senders.some(({ destroyed }) => destroyed);
    while (!isCut() && senders.length < 100) senders.push(await sendUnread(one, address));

    await eventually(() => isCut() && kept() <= SHARE + body.length - READ);
    expect(senders.every(({ destroyed }) => destroyed)).toBe(false);
    expect(other.destroyed).toBe(false);
  });

  test('› counts after a connection is closed: the company is refused until its readers are gone', async () => {
    for (let count = 0; count < 12; count++) await stopReading(one, address, 'close');
    await eventually(() => isRefused(one));
    expect(isRefused(two)).toBe(false);
    for (const reader of readers) reader.destroy();
    await eventually(() => !isRefused(one));
  });
});

function isRefused(company: number): boolean {
  try {
    open.admit(company);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'overloaded', status: 503 });
    return true;
  }
}
