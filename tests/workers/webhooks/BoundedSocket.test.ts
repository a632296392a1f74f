import { once } from 'node:events';
import { connect } from 'node:net';
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
  const socket = new BoundedSocket(connect(port, '127.0.0.1'), (work) => work());
  atEnd(() => void socket.destroy());
  socket.on('data', (bytes: Buffer) => (passed += bytes.length));
  return { socket, passed: () => passed };
}

test('before the handshake is complete › 12 KiB are passed on', async () => {
  const url = await startRawEndpoint((socket) => void socket.write(megabyte));
  const { socket, passed } = open(Number(new URL(url).port));
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error).toMatchObject({ code: 'HANDSHAKE_TOO_LARGE' });
  expect(passed()).toBe(12 * KIB);
});

test('after the handshake › 64 KiB are passed on', async () => {
  const { trusted, ...certificate } = issuedBy(1, 'localhost');
  const server = createServer(certificate, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.write(megabyte);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as { port: number };
  const { socket, passed } = open(port);
  const tls = connectTls({ socket, ca: trusted, servername: 'localhost' });
  socket.follow(tls);
  let handshake = 0;
  tls.on('secureConnect', () => (handshake = passed()));
  tls.resume();
  const [error] = (await once(tls, 'error')) as [Error];
  expect(error).toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
  expect(handshake).toBeGreaterThan(0);
  expect(passed() - handshake).toBe(64 * KIB);
});

test('what was received is passed on in its order, also if the far side has closed meanwhile', async () => {
  const url = await startRawEndpoint((socket) => void socket.end('all of it'));
  const waiting: (() => void)[] = [];
  const raw = connect(Number(new URL(url).port), '127.0.0.1');
  const socket = new BoundedSocket(raw, (work) => void waiting.push(work));
  await once(raw, 'close');
  waiting.forEach((work) => work());
  expect((await socket.toArray()).join('')).toBe('all of it');
});
