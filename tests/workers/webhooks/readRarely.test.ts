import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { get as getTls } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { CheckedAgents } from '../../../workers/webhooks/CheckedAgents';
import { resolveAnyName, checkedLookup } from '../../../workers/webhooks/checkedLookup';
import { fairResolve } from '../../../workers/webhooks/fairResolve';
import { readRarely } from '../../../workers/webhooks/readRarely';
import { issuedBy } from '../../support/certificate';
import { atEnd } from '../../support/installation';
import { startEndpoint, startRawEndpoint, startTlsEndpoint, type Respond } from './localEndpoint';

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

describe.each([{ isFresh: false }, { isFresh: true }])('a connection that is opened with %j is read rarely', (kind) => {
  const { isFresh } = kind;
  /** The next byte is sent when the one before it has been received, so each is a piece. */
  const received = { one: (): void => undefined };
  const drip: Respond = (_, response) => {
    let left = 68;
    received.one = () => (left-- > 0 ? response.write('x') : response.end());
    response.flushHeaders();
    received.one();
  };

  it.each(['http:', 'https:'])('%s', async (protocol) => {
    const { trusted, ...certificate } = issuedBy(1, 'localhost');
    const isTls = protocol === 'https:';
    const { url } = await (isTls ? startTlsEndpoint(certificate, drip) : startEndpoint(drip));
    const lookUp = fairResolve(resolveAnyName);
    const agents = new CheckedAgents(
      (companyId) =>
        checkedLookup(
          (name) => lookUp(companyId, name),
          () => true,
        ),
      () => true,
      trusted,
    );
    atEnd(() => agents.close());
    const stopped = jest.spyOn(await handleOfSockets(url), 'readStop');
    const options = { agent: agents.of(protocol, isFresh), companyId: 1 };
    const [response] = (await once((isTls ? getTls : get)(url, options), 'response')) as [IncomingMessage];
    let bytes = 0;
    for await (const piece of response) {
      bytes += (piece as Buffer).length;
      received.one();
    }
    expect(bytes).toBe(68);
    expect(stopped.mock.calls.length).toBeGreaterThanOrEqual(3);
    stopped.mockRestore();
  });
});

/** What the handles of all sockets inherit their methods from. */
async function handleOfSockets(url: string): Promise<{ readStop: () => void }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const { _handle: handle } = socket as Socket & { _handle?: object };
  socket.destroy();
  let from: unknown = handle;
  while (from && !Object.hasOwn(from, 'readStop')) from = Object.getPrototypeOf(from);
  return from as { readStop: () => void };
}
