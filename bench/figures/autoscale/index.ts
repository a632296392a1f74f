import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../../config/env';
import { freePort } from '../../../dev/servers/freePort';
import { requestInvoiceEmail } from '../../../shared/emails';
import { createLogger } from '../../../shared/engine/log/log';
import type { Services } from '../../../shared/services';
import { openServices } from '../../../shared/openServices';
import { sentInvoices } from '../../rows/sendEmail';
import type { Bench } from '../../rows/Row';
import type { Figure } from '../Figure';
import { Autoscaler, type Rule } from './Autoscaler';
import { SlowMailServer } from './SlowMailServer';

/** As in ops/kubernetes, with shorter times. */
const rule: Rule = { targetSeconds: 2, most: 4, pollMs: 1_000, cooldownMs: 8_000 };
/** One worker sends 8 e-mails a second: 2 at the same time, a quarter of a second each. */
const concurrency = 2;
const steps = [
  { perSecond: 4, seconds: 10 },
  { perSecond: 20, seconds: 25 },
  { perSecond: 4, seconds: 25 },
];
const token = 'autoscale';
const drainedWithinMs = 60_000;

/** Load in steps, and an autoscaler that starts and stops real worker processes by `/queues`. */
export const autoscale: Figure = {
  name: 'autoscale',
  what: 'workers that an autoscaler starts and stops by the age of the oldest job',
  async measure(bench) {
    const { installation } = bench;
    const invoiceIds = await sentInvoices(bench);
    const mail = await SlowMailServer.start();
    // Queues of its own: the installation's worker takes none of these jobs. Stopped, it relays none either.
    const variables = {
      ...installation.variables,
      REDIS_PREFIX: '{autoscale}',
      WORKER_QUEUES: 'email',
      EMAIL_CONCURRENCY: String(concurrency),
      SMTP_URL: mail.url,
      OPERATOR_TOKEN: token,
    };
    process.kill(installation.pids.worker, 'SIGSTOP');
    const services = openServices({ config: loadConfig(variables), log: createLogger('warn', 'bench'), listenTo: [] });
    const ports = { PORT: String(await freePort()), OPERATOR_PORT: String(await freePort()) };
    const api = await installation.startServer('dist/api/index.js', { ...variables, ...ports });
    const scaler = new Autoscaler(rule, oldestEmail(Number(ports.OPERATOR_PORT)), () =>
      installation.startServer('dist/workers/index.js', variables),
    );
    try {
      await scaler.start();
      const jobIds = await loadInSteps(bench, services, invoiceIds);
      const latencies = await startLatencies(services, jobIds);
      await sleep(rule.cooldownMs * rule.most);
      const { different, again } = mail.counts;
      return [
        {
          what: 'seconds until an e-mail starts while workers are added, 99 % of them',
          value: percentile(latencies, 0.99),
          atMost: 15,
        },
        {
          what: `e-mails of ${jobIds.length} that were lost or came twice`,
          value: jobIds.length - different + again,
          atMost: 0,
        },
        { what: 'most workers at the same time', value: scaler.most, atMost: rule.most },
        { what: 'workers after the load', value: scaler.count, atMost: 1 },
      ];
    } finally {
      await scaler.stop();
      await api.stop();
      await services.close();
      await mail.stop();
      process.kill(installation.pids.worker, 'SIGCONT');
    }
  },
};

function oldestEmail(operatorPort: number): () => Promise<number> {
  return async () => {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${operatorPort}/queues`, { headers });
    const { queues } = (await response.json()) as { queues: { name: string; oldest_seconds: number | null }[] };
    return queues.find(({ name }) => name === 'email')?.oldest_seconds ?? 0;
  };
}

/** Returns the ids of the jobs that were recorded. */
async function loadInSteps(
  { installation }: Bench,
  services: Services,
  invoiceIds: readonly number[],
): Promise<number[]> {
  const { companyId } = installation.seeded;
  const jobIds: number[] = [];
  for (const { perSecond, seconds } of steps) {
    for (let n = 0; n < perSecond * seconds; n++) {
      const invoiceId = invoiceIds[jobIds.length % invoiceIds.length] ?? 0;
      const paced = sleep(1_000 / perSecond);
      const { id } = await services.perform({ companyId, actor: 'bench' }, (uow) =>
        requestInvoiceEmail(uow, invoiceId),
      );
      jobIds.push(id);
      await paced;
    }
  }
  return jobIds;
}

/** Waits until all jobs have ended. Returns the seconds between each one's record and its start. */
async function startLatencies(services: Services, jobIds: readonly number[]): Promise<number[]> {
  const range = [Math.min(...jobIds), Math.max(...jobIds)];
  for (const deadline = Date.now() + drainedWithinMs; ; await sleep(500)) {
    const rows = await services.sql.rows<{ seconds: string | null }>(
      `SELECT TIMESTAMPDIFF(MICROSECOND, createdAt, startedAt) / 1000000 AS seconds
         FROM jobs WHERE id BETWEEN ? AND ? AND queue = 'email' AND status = 'done'`,
      range,
    );
    if (rows.length >= jobIds.length || Date.now() > deadline) return rows.map(({ seconds }) => Number(seconds));
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
