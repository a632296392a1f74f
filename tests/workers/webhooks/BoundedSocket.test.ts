import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls, createServer } from 'node:tls';
import { BoundedSocket } from '../../../workers/webhooks/BoundedSocket';
import { issuedBy } from '../../support/certificate';
import { atEnd } from '../../support/installation';
import { startRawEndpoint } from './localEndpoint';

const KIB = 1_024;
const megabyte = Buffer.alloc(KIB * KIB);

/** A bounded connection, and how much of what it received was passed on. */
function open(port: number): { socket: BoundedSocket; passed: () => number } {
  let passed = 0;
  const socket = new BoundedSocket({}, (work) => work());
  atEnd(() => void socket.destroy());
  socket.on('data', (bytes: Buffer) => (passed += bytes.length));
  return { socket: socket.connect(port, '127.0.0.1'), passed: () => passed };
}

test('before the handshake is complete › 12 KiB are passed on', async () => {
  const url = await startRawEndpoint((socket) => void socket.write(megabyte));
  const { socket, passed } = open(Number(new URL(url).port));
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error).toMatchObject({ code: 'HANDSHAKE_TOO_LARGE' });
  expect(passed()).toBe(12 * KIB);
});

test('of each response › 64 KiB are passed on', async () => {
  const url = await startRawEndpoint((socket) => {
    socket.once('data', () => {
      socket.write(megabyte.subarray(0, 64 * KIB));
      socket.once('data', () => socket.write(megabyte));
    });
  });
  const { socket, passed } = open(Number(new URL(url).port));
  socket.on('data', () => {
    if (passed() !== 64 * KIB) return;
    socket.allowResponse();
    socket.write('the next request');
  });
  socket.allowResponse();
  socket.write('a request');
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error).toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
  expect(passed()).toBe(2 * 64 * KIB);
});

test('over TLS › what is encrypted counts', async () => {
  const { trusted, ...certificate } = issuedBy(1, 'localhost');
  const server = createServer(certificate, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.write(megabyte);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as { port: number };
  let passed = 0;
  const socket = new BoundedSocket({}, (work) => work()).on('data', (bytes: Buffer) => (passed += bytes.length));
  // A socket without a connection: OpenSSL would read from that of one itself.
  const tls = connectTls({ socket, ca: trusted, servername: 'localhost' });
  socket.connect(port, '127.0.0.1');
  let handshake = 0;
  tls.on('secureConnect', () => {
    handshake = passed;
    socket.allowResponse();
  });
  tls.resume();
  const [error] = (await once(tls, 'error')) as [Error];
  expect(error).toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
  expect(handshake).toBeGreaterThan(0);
  expect(passed - handshake).toBe(64 * KIB);
});

test('what was received is passed on in its order, also if the far side has closed meanwhile', async () => {
  const parts = ['all ', 'of ', 'it'].map((text) => text.padEnd(5 * KIB));
  const url = await startRawEndpoint((socket) => void socket.end(parts.join('')));
  const waiting: (() => void)[] = [];
  const socket = new BoundedSocket({}, (work) => void waiting.push(work));
  socket.allowResponse();
  const whole = socket.connect(Number(new URL(url).port), '127.0.0.1').toArray();
  const ended = once(socket, 'end');
  const timer = setInterval(() => waiting.shift()?.(), 5);
  await ended;
  clearInterval(timer);
  expect((await whole).join('')).toBe(parts.join(''));
});

/** A server that sends `length` bytes one by one for each byte that it receives. */
async function startDripping(length: number): Promise<number> {
  const url = await startRawEndpoint((socket) => {
    socket.setNoDelay(true);
    socket.on('data', () => {
      void (async () => {
        for (let sent = 0; sent < length; sent++) {
          socket.write('x');
          await setImmediate();
        }
      })();
    });
  });
  return Number(new URL(url).port);
}

/** Reads responses of `length` bytes over one connection. Returns in how many pieces all of them came. */
async function piecesOf(responses: number, length: number): Promise<number> {
  const { socket, passed } = open(await startDripping(length));
  let pieces = 0;
  socket.on('data', () => {
    pieces += 1;
    if (passed() % length === 0) socket.emit('whole');
  });
  for (let read = 1; read <= responses; read++) {
    const whole = once(socket, 'whole');
    socket.allowResponse();
    socket.write('?');
    await whole;
    expect(passed()).toBe(read * length);
  }
  return pieces;
}

test('a response that comes byte by byte is read whole, in few pieces', async () => {
  expect(await piecesOf(1, 2_000)).toBeLessThan(1_000);
});

test('short responses that come byte by byte are read as they arrive, also over one connection', async () => {
  expect(await piecesOf(20, 50)).toBeGreaterThan(500);
});
