import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApiKey } from '../../shared/apiKeys';
import { createClient } from '../../shared/clients';
import { createCompany } from '../../shared/companies';
import { createWebhookEndpoint } from '../../shared/webhooks';
import { sampleClient, sampleItems } from '../installation/samples';
import { measureInTurns } from '../measuring/measureInTurns';
import { json } from '../rows/apiLoad';
import { connections, type Bench, type Side } from '../rows/Row';
import type { Figure } from './Figure';

const actor = 'bench';
const drainedWithinMs = 300_000;

/**
 * What two webhook endpoints cost a create: with the worker that delivers on the same cores, and with the worker stopped, as if it
 * had cores of its own.
 */
export const createWithWebhooks: Figure = {
  name: 'create-webhooks',
  what: 'POST /api/invoices with two webhook endpoints, against none',
  async measure(bench, quick) {
    const { pids } = bench.installation;
    const receiver = await startReceiver();
    const turns = quick ? { rounds: 1, seconds: 2 } : { rounds: 5, seconds: 4 };
    const plain = creates(bench, await company(bench, []));
    const hooked = await company(bench, [receiver.url, receiver.url]);
    const create = creates(bench, hooked);
    const beside = await measureInTurns({ project: drained(bench, hooked.companyId, create), limit: plain }, turns);
    process.kill(pids.worker, 'SIGSTOP');
    const alone = await measureInTurns({ project: create, limit: plain }, turns).finally(() =>
      process.kill(pids.worker, 'SIGCONT'),
    );
    await drain(bench, hooked.companyId);
    receiver.server.close();
    receiver.server.closeAllConnections();
    return [
      {
        what: 'time of a create with two endpoints against none, the worker on cores of its own',
        value: 1 / (alone.ratio ?? 0),
        atMost: 1.05,
      },
      { what: 'the same, the worker on the same cores', value: 1 / (beside.ratio ?? 0), atMost: 1.05 },
    ];
  },
};

interface Company {
  companyId: number;
  token: string;
  clientIds: number[];
}

async function company({ installation }: Bench, urls: readonly string[]): Promise<Company> {
  const { services } = installation;
  const input = { name: 'Creator', email: 'billing@creator.example' };
  const { id: companyId } = await services.performForInstallation(actor, (work) => createCompany(work, input));
  return services.perform({ companyId, actor }, async (uow) => {
    const clientIds: number[] = [];
    for (let index = 0; index < 50; index++) clientIds.push((await createClient(uow, sampleClient(index))).id);
    for (const url of urls) await createWebhookEndpoint(uow, { url }, services);
    return { companyId, clientIds, token: (await createApiKey(uow, { name: 'bench' })).token };
  });
}

function creates({ installation, load }: Bench, { clientIds, token }: Company): Side {
  const bodies = clientIds.map((clientId, index) =>
    JSON.stringify({
      clientId,
      issueDate: '2026-01-15',
      dueDate: '2026-02-14',
      taxRate: 11,
      items: sampleItems(index),
    }),
  );
  const task = { url: installation.apiUrl, method: 'POST', paths: ['/api/invoices'], bodies, once: false } as const;
  const headers = { Authorization: `Bearer ${token}` };
  return (seconds) => load.run({ ...task, headers, connections, seconds, expected: json(201) });
}

/** Waits after each measurement until everything is delivered, so that the other side is measured alone. */
function drained(bench: Bench, companyId: number, side: Side): Side {
  return async (seconds) => {
    const sample = await side(seconds);
    await drain(bench, companyId);
    return sample;
  };
}

async function drain({ installation }: Bench, companyId: number): Promise<void> {
  const deadline = Date.now() + drainedWithinMs;
  for (;;) {
    const [row] = await installation.services.sql.rows<{ behind: number }>(
      `SELECT COUNT(*) AS behind FROM webhook_endpoints e WHERE e.companyId = ? AND (
          e.position < (SELECT MAX(seq) FROM events WHERE companyId = e.companyId)
          OR EXISTS (SELECT 1 FROM events WHERE companyId = e.companyId AND seq IS NULL)
          OR EXISTS (SELECT 1 FROM webhook_deliveries d
            WHERE d.companyId = e.companyId AND d.endpointId = e.id AND d.status = 'pending'))`,
      [companyId],
    );
    if (row?.behind === 0) return;
    if (Date.now() > deadline) throw new Error('the webhooks were not delivered in time');
    await sleep(100);
  }
}

async function startReceiver(): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}
