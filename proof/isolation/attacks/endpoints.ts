import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { eventTypes } from '../../../shared/eventTypes';
import { jsonOf, newInvoice } from '../../installation/HttpClient';
import type { Attack, Attacker } from '../Attack';
import { create, deliveredOrProblem, repeat, untilAborted, withReceiver } from '../attacker/tools';
import { forgedHandshake, longExponent, slowCurve } from '../attacker/forgedHandshake';

const path = '/api/webhook-endpoints';

/** Changes a client, which is an event for each endpoint of the company. */
function changeClient(attacker: Attacker, connections: number, signal: AbortSignal): Promise<void> {
  const client = `/api/clients/${attacker.company.clientId}`;
  return repeat(attacker, connections, signal, (turn) =>
    attacker.send({ path: client, method: 'PUT', body: { name: `Client ${turn}` } }),
  );
}

/** Webhook endpoints whose responses take long to process. `respond` writes to a connection after its first bytes. */
const hostileReceiver = (
  name: string,
  what: string,
  respond: (socket: Socket) => void,
  scheme: 'http' | 'https' = 'http',
): Attack => ({
  name,
  what: `20 webhook endpoints that respond with ${what}`,
  run: async (attacker, signal) => {
    const receiver = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => undefined);
      socket.once('data', () => {
        attacker.count('delivered');
        respond(socket);
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    for (let index = 0; index < 20; index++) {
      await attacker.send({ path, method: 'POST', body: { url: `${scheme}://127.0.0.1:${port}/${index}` } });
    }
    await changeClient(attacker, 4, signal);
    receiver.close();
  },
  judge: deliveredOrProblem,
});

const interim = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2_000));
const chunked = Buffer.from(
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(16_000)}0\r\n\r\n`,
);
/** Names and values count towards Node's limit of a head, and these have one byte. */
const fields = 'a:\r\n'.repeat(16_000);
const heads = Buffer.from(
  `${`HTTP/1.1 103 Early Hints\r\n${fields}\r\n`.repeat(7)}HTTP/1.1 200 OK\r\n${fields}Transfer-Encoding: chunked\r\n\r\n1\r\n \r\n0\r\n${fields}\r\n`,
);
const spaces = Buffer.alloc(64 * 1_024, ' ');
/** The longest chain of certificates that OpenSSL accepts, and one within the limit of 12 KiB. */
const handshakes = [forgedHandshake(longExponent(), 70), forgedHandshake(slowCurve(), 26)];

/** Webhook endpoints that keep the service busy. */
export const endpoints: readonly Attack[] = [
  {
    name: 'silent-endpoints',
    what: '100 webhook endpoints (with --quick 30) with types that never happen, and changes of clients, 16 connections',
    run: async (attacker, signal) => {
      const types = eventTypes.map(({ type }) => type).filter((type) => !/^(client|webhook)/.test(type));
      for (let index = 0; index < (attacker.quick ? 30 : 100); index++) {
        const body = { url: `http://127.0.0.1:9/${index}`, types: types.slice(0, 50) };
        await attacker.send({ path, method: 'POST', body });
      }
      await changeClient(attacker, 16, signal);
    },
  },
  {
    name: 'far-behind-endpoints',
    what: '100 webhook endpoints (with --quick 30), each 200,000 events behind, of which it wants none',
    prepare: (ground) => ground.unwantedEvents(ground.quick ? 30 : 100, 200),
    begin: (ground, company) => ground.putBack(company),
    run: async (attacker, signal) => {
      await attacker.send({ path });
      await untilAborted(signal);
    },
  },
  {
    name: 'fast-endpoints',
    what: '100 webhook endpoints (with --quick 30) that respond at once, and changes of clients for all of them, 16 connections',
    run: (attacker, signal) =>
      withReceiver(attacker, 0, async (url) => {
        for (let index = 0; index < (attacker.quick ? 30 : 100); index++) {
          await attacker.send({ path, method: 'POST', body: { url: `${url}/${index}` } });
        }
        await changeClient(attacker, 16, signal);
      }),
    judge: deliveredOrProblem,
  },
  {
    name: 'large-deliveries',
    what: 'events of 80 KB of 100 invoices (with --quick 20) for 25 webhook endpoints that respond at once, each replayed again and again, 2 connections',
    run: (attacker, signal) =>
      withReceiver(attacker, 0, async (url) => {
        const ids: number[] = [];
        for (let index = 0; index < 25; index++) {
          ids.push((await create(attacker, path, { url: `${url}/${index}` })).id);
        }
        const invoice = newInvoice(attacker.company.clientId, { notes: '\u{1f600}'.repeat(10_000) });
        const changed = { notes: '\u{1f604}'.repeat(10_000) };
        for (let count = 0; count < (attacker.quick ? 20 : 100); count++) {
          const { id } = await create(attacker, '/api/invoices', invoice);
          await attacker.send({ path: `/api/invoices/${id}`, method: 'PUT', body: changed });
        }
        const body = { after: 0, until: Number.MAX_SAFE_INTEGER };
        await repeat(attacker, 2, signal, async (turn) => {
          await attacker.send({ path: `${path}/${ids[turn % ids.length]}/replay`, method: 'POST', body });
          await sleep(100, undefined, { signal });
        });
      }),
    judge: deliveredOrProblem,
  },
  {
    name: 'pending-replays',
    what: '8 webhook endpoints with 60,000 replays each (with --quick 6,000) that wait for a retry, and changes of clients, 8 connections',
    variables: {},
    prepare: (ground) => ground.pendingReplays(8, ground.quick ? 6_000 : 60_000),
    run: (attacker, signal) =>
      withReceiver(attacker, 0, async (url) => {
        const { data } = jsonOf<{ data: { id: number }[] }>(await attacker.send({ path }));
        for (const { id } of data) await attacker.send({ path: `${path}/${id}`, method: 'PUT', body: { url } });
        await changeClient(attacker, 8, signal);
      }),
    judge: deliveredOrProblem,
  },
  {
    name: 'slow-endpoints',
    what: 'four companies with 50 webhook endpoints each (with --quick 15) that succeed after 14 s, and a change for all of them each second',
    prepare: async (ground) => {
      const company = await ground.newCompany();
      return { ...company, allies: [await ground.newCompany(), await ground.newCompany(), await ground.newCompany()] };
    },
    run: (attacker, signal) =>
      withReceiver(attacker, 14_000, async (url) => {
        const companies = [attacker.company, ...(attacker.company.allies ?? [])].map(({ token, clientId }) => ({
          headers: { Authorization: `Bearer ${token}` },
          client: `/api/clients/${clientId}`,
        }));
        for (let index = 0; index < (attacker.quick ? 15 : 50); index++) {
          const body = { url: `${url}/${index}` };
          await Promise.all(companies.map(({ headers }) => attacker.send({ path, method: 'POST', body, headers })));
        }
        await repeat(attacker, 1, signal, async (turn) => {
          const body = { name: `Client ${turn}` };
          await Promise.all(
            companies.map(({ headers, client }) => attacker.send({ path: client, method: 'PUT', body, headers })),
          );
          await sleep(1_000, undefined, { signal });
        });
      }),
    judge: deliveredOrProblem,
  },
  hostileReceiver('interim-responses', 'interim responses (103) without an end', (socket) => {
    const pour = (): void => {
      while (!socket.destroyed && socket.write(interim));
    };
    socket.on('drain', pour);
    pour();
  }),
  hostileReceiver('tiny-response-chunks', 'a body of 16,000 chunks of a byte', (socket) => {
    socket.on('data', () => socket.write(chunked));
    socket.write(chunked);
  }),
  hostileReceiver('heads-of-fields', '7 interim heads, a head and trailers of 16,000 fields each', (socket) => {
    socket.on('data', () => socket.write(heads));
    socket.write(heads);
  }),
  hostileReceiver('unasked-bytes', 'an empty response, and then with bytes without an end', (socket) => {
    const pour = (): void => {
      while (!socket.destroyed && socket.write(spaces));
    };
    socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    // The response has been read.
    setTimeout(() => socket.on('drain', pour) && pour(), 100);
  }),
  hostileReceiver(
    'forged-certificates',
    'certificates that take long to verify, in chains of 70 and of 26',
    (socket) => {
      const [next = Buffer.alloc(0)] = handshakes;
      handshakes.reverse();
      socket.end(next);
    },
    'https',
  ),
  {
    name: 'replays',
    what: 'replays of 5,000 events to a webhook endpoint, 8 connections',
    prepare: (ground) => ground.withEvents(),
    run: (attacker, signal) =>
      withReceiver(attacker, 0, async (url) => {
        const { id } = await create(attacker, path, { url });
        const body = { after: 0, until: Number.MAX_SAFE_INTEGER };
        const replay = { path: `${path}/${id}/replay`, method: 'POST', body } as const;
        await repeat(attacker, 8, signal, () => attacker.send(replay));
      }),
  },
];
