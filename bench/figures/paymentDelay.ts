import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { type Connection, createConnection } from 'mysql2/promise';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { RedisConnections } from '../../shared/engine/redis/RedisConnections';
import { median } from '../../dev/measuring/statistics';
import { callApi, sendJson } from '../rows/callApi';
import { sentInvoices } from '../rows/emails';
import type { Bench } from '../rows/Row';
import type { Figure } from './Figure';

/** Long enough that the service is idle before each payment. */
const pauseMs = 200;
const paidWithinMs = 30_000;

/** The time from a gateway's callback until the invoice is `paid`, in an idle installation. */
export const paymentDelay: Figure = {
  name: 'payment-delay',
  what: 'a payment, from its callback until the invoice is paid',
  async measure(bench, quick) {
    const times = quick ? 10 : 60;
    const connection = await createConnection(bench.installation.databaseUrl);
    const invoiceIds = (await sentInvoices(bench)).slice(0, times);
    const delays: number[] = [];
    const lookUps: number[] = [];
    await setCallbacks(bench, false);
    for (const invoiceId of invoiceIds) {
      const link = await madeLink(bench, invoiceId);
      await pay(bench, link);
      lookUps.push(await timeOf(() => lookUp(bench, link.reference)));
      await sleep(pauseMs);
      delays.push(await timeOf(() => announce(bench, connection, link, invoiceId)));
    }
    await setCallbacks(bench, true);
    const statements: number[] = [];
    for (const invoiceId of invoiceIds) {
      await sleep(20);
      statements.push(await timeOf(() => bareStatements(bench, connection, invoiceId)));
    }
    const roundTrips = await queueRoundTrips(bench, times);
    await connection.end();
    const parts = [roundTrips, lookUps, statements].map(median);
    const baseline = parts.reduce((sum, part) => sum + part, 0);
    return [
      {
        what:
          `callback to paid (${median(delays).toFixed(1)} ms) against a BullMQ round trip, the gateway's look-up and ` +
          `the same statements (${parts.map((part) => part.toFixed(1)).join(' + ')} ms)`,
        value: median(delays) / baseline,
        atMost: 3,
      },
    ];
  },
};

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

interface Link {
  gatewayId: string;
  reference: string;
}

async function madeLink(bench: Bench, invoiceId: number): Promise<Link> {
  const { services, seeded } = bench.installation;
  await callApi(bench, `/api/invoices/${invoiceId}/create-gateway-invoice`, { method: 'POST' });
  const [link] = await services.sql.rows<Link>(
    "SELECT gatewayId, reference FROM payment_links WHERE companyId = ? AND invoiceId = ? AND status = 'active'",
    [seeded.companyId, invoiceId],
  );
  if (link === undefined) throw new Error('the link is not recorded');
  return link;
}

const setCallbacks = ({ installation }: Bench, callbacks: boolean): Promise<void> =>
  sendJson(`${installation.gatewayUrl}/control`, 'PUT', { callbacks });

/** Pays at the gateway, whose own callbacks are off. */
const pay = ({ installation }: Bench, { gatewayId }: Link): Promise<void> =>
  sendJson(`${installation.gatewayUrl}/web/${gatewayId}/pay`, 'POST', {});

/** Sends the callback of a payment, and waits until the invoice is paid. */
async function announce(
  { installation }: Bench,
  connection: Connection,
  { gatewayId, reference }: Link,
  invoiceId: number,
): Promise<void> {
  const { apiUrl, seeded, variables } = installation;
  const body = { id: gatewayId, external_id: reference, status: 'PAID' };
  const headers = { 'x-callback-token': variables['XENDIT_CALLBACK_TOKEN'] ?? '' };
  const received = sendJson(`${apiUrl}/webhooks/gateway/xendit`, 'POST', body, headers);
  const status = 'SELECT status FROM invoices WHERE companyId = ? AND id = ?';
  for (const deadline = performance.now() + paidWithinMs; ;) {
    const [rows] = await connection.execute(status, [seeded.companyId, invoiceId]);
    if ((rows as { status: string }[])[0]?.status === 'paid') break;
    if (performance.now() > deadline) throw new Error('the payment was not recorded in time');
    await sleep(1);
  }
  await received;
}

async function lookUp({ installation }: Bench, reference: string): Promise<void> {
  const { gatewayUrl, variables } = installation;
  const credentials = Buffer.from(`${variables['XENDIT_SECRET_KEY']}:`).toString('base64');
  const response = await fetch(`${gatewayUrl}/v2/invoices?external_id=${reference}&limit=100`, {
    headers: { Authorization: `Basic ${credentials}` },
  });
  await response.arrayBuffer();
}

/** Runs the statements of a payment in three transactions: the job is recorded, begun, and ended with the payment. */
async function bareStatements({ installation }: Bench, connection: Connection, invoiceId: number): Promise<void> {
  const { companyId } = installation.seeded;
  const now = 'UTC_TIMESTAMP(3)';
  const key = [companyId, invoiceId];
  await connection.execute(
    `INSERT INTO jobs (companyId, name, queue, payload, status, attempt, uncounted, maxAttempt, availableAt, relayAt,
      createdAt, updatedAt) VALUES (?, 'bare', 'bare', '{}', 'done', 0, 0, 1, ${now}, ${now}, ${now}, ${now})`,
    [companyId],
  );
  const mine = 'companyId = ? AND id = LAST_INSERT_ID()';
  await connection.execute(`UPDATE jobs SET attempt = 1, startedAt = ${now} WHERE ${mine}`, [companyId]);
  await connection.beginTransaction();
  await connection.execute(`UPDATE jobs SET endedAt = ${now}, attempt = 2 WHERE ${mine}`, [companyId]);
  await connection.execute('SELECT * FROM invoices WHERE companyId = ? AND id = ? FOR UPDATE', key);
  await connection.execute(`UPDATE payment_links SET updatedAt = ${now} WHERE companyId = ? AND invoiceId = ?`, key);
  await connection.execute(
    `INSERT INTO payments (companyId, invoiceId, gatewayId, amount, settles, currency, flags, paidAt, createdAt, updatedAt)
      VALUES (?, ?, ?, 1, 1, 'XXX', '[]', ${now}, ${now}, ${now})`,
    [...key, randomUUID()],
  );
  await connection.execute(
    'UPDATE invoices SET updatedAt = updatedAt + INTERVAL 1 SECOND WHERE companyId = ? AND id = ?',
    key,
  );
  for (const type of ['payment.received', 'invoice.paid']) {
    await connection.execute(
      `INSERT INTO events (companyId, type, actor, subjectType, subjectId, data, createdAt)
        VALUES (?, ?, 'bare', 'invoice', ?, '{}', ${now})`,
      [companyId, type, invoiceId],
    );
  }
  await connection.commit();
}

const queueName = 'round-trip';

/** Returns the milliseconds from adding a job until its end is announced, of `times` jobs of BullMQ alone. */
async function queueRoundTrips({ installation }: Bench, times: number): Promise<number[]> {
  const { config, log } = installation.services;
  const connections = new RedisConnections(config.redisUrl, log);
  const prefix = '{round-trip}';
  const options = () => ({ connection: connections.connect('blocking'), prefix, skipVersionCheck: true });
  const queue = new Queue(queueName, options());
  const worker = new Worker(queueName, () => Promise.resolve(null), options());
  const events = new QueueEvents(queueName, options());
  await Promise.all([worker.waitUntilReady(), events.waitUntilReady()]);
  const measured: number[] = [];
  for (let index = 0; index < times; index++) {
    await sleep(20);
    const began = performance.now();
    const ended = once(events, 'completed');
    await queue.add('one', {}, { removeOnComplete: true });
    await ended;
    measured.push(performance.now() - began);
  }
  await Promise.all([worker.close(), queue.close(), events.close()]);
  return measured;
}
