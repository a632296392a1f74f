import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { readRarely } from '../../../workers/webhooks/readRarely';
import { startRawEndpoint } from './localEndpoint';

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
  const socket = connect(await startDripping(length), '127.0.0.1');
  const startNext = readRarely(socket);
  let [bytes, pieces] = [0, 0];
  socket.on('data', (piece: Buffer) => {
    pieces += 1;
    bytes += piece.length;
    if (bytes % length === 0) socket.emit('whole');
  });
  for (let read = 1; read <= responses; read++) {
    const whole = once(socket, 'whole');
    socket.write('?');
    await whole;
    expect(bytes).toBe(read * length);
    startNext();
  }
  socket.destroy();
  return pieces;
}

it('a response that comes byte by byte is read whole, in few pieces', async () => {
  expect(await piecesOf(1, 2_000)).toBeLessThan(1_000);
});

it('short responses that come byte by byte are read as they arrive, also over one connection', async () => {
  expect(await piecesOf(20, 50)).toBeGreaterThan(500);
});
