import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { toSqlTime } from '../../shared/engine/db';
import { insertMany } from '../installation/insertMany';
import { apiLoad, bareLoad, type Requests } from './apiLoad';
import type { Bench, Row } from './Row';

/** More callbacks a second than any machine takes. */
const mostPerSecond = 4_000;

export const receiveCallback: Row = {
  name: 'callback',
  what: 'POST /webhooks/gateway/xendit, a payment each',
  limit: { what: 'bare Koa + mysql2, the same look-up and job', atLeast: 0.5 },
  async prepare(bench) {
    const { startServer, variables, pids, services, seeded } = bench.installation;
    const callbackToken = variables['XENDIT_CALLBACK_TOKEN'] ?? '';
    const bare = await startServer('receiveCallback', { CALLBACK_TOKEN: callbackToken });
    const headers = { 'x-callback-token': callbackToken };
    return {
      project: async (seconds) => {
        const requests = await callbacks(bench, seconds);
        // Only the callback is measured: a stopped worker does not run its job.
        process.kill(pids.worker, 'SIGSTOP');
        const sample = await apiLoad(bench, { ...requests, headers })(seconds);
        const ended = "UPDATE jobs SET status = 'failed', dedupeKey = NULL WHERE companyId = ? AND status = 'pending'";
        await services.sql.run(ended, [seeded.companyId]);
        process.kill(pids.worker, 'SIGCONT');
        await untilEmpty(bench);
        return sample;
      },
      limit: async (seconds) => bareLoad(bench, bare, { ...(await callbacks(bench, seconds)), headers })(seconds),
    };
  },
};

/** Waits until the worker has taken the entries of the ended jobs: the next row would be measured behind them. */
async function untilEmpty({ installation }: Bench): Promise<void> {
  for (;;) {
    const { waiting = 0, active = 0 } = await installation.services.queues.counts('payment-link');
    if (waiting + active === 0) return;
    await sleep(100);
  }
}

/** One callback for each of as many new links. */
async function callbacks({ installation }: Bench, seconds: number): Promise<Requests> {
  const { services, seeded } = installation;
  const [now, later] = [Date.now(), Date.now() + 86_400_000].map((at) => toSqlTime(new Date(at)));
  const references = Array.from({ length: mostPerSecond * seconds }, () => randomUUID());
  const rows = references.map((reference, index) => [
    ...[seeded.companyId, seeded.invoiceIds[index % seeded.invoiceIds.length] ?? 0, 'xendit', reference, reference],
    ...['https://pay.example', 'active', '100.00', '100.00', 'IDR', later ?? '', now ?? '', now ?? ''],
  ]);
  await insertMany(services, 'payment_links', columns, rows);
  const bodies = references.map((reference) =>
    JSON.stringify({ id: reference, external_id: reference, status: 'PAID', amount: 100, paid_amount: 100 }),
  );
  const paths = references.map(() => '/webhooks/gateway/xendit');
  return { method: 'POST', paths, bodies, once: true };
}

const columns = [
  ...['companyId', 'invoiceId', 'provider', 'reference', 'gatewayId', 'url', 'status', 'total', 'amount', 'currency'],
  ...['pollAt', 'createdAt', 'updatedAt'],
];
