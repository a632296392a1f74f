import { deliveries as settings } from '../../config/queues';
import { createCompany } from '../../shared/companies';
import { feedEventJson, readFeed } from '../../shared/engine/events/feed';
import type { Services } from '../../shared/services';
import { createWebhookEndpoint, wakeEndpoint } from '../../shared/webhooks';
import { seedEvents } from '../installation/insertMany';
import type { WebhookTask } from '../limits/sendWebhooks';
import type { Row } from './Row';

const actor = 'bench';
/** More than one measurement can send. */
const events = 100_000;

export const webhooks: Row = {
  name: 'webhooks',
  what: 'events to one webhook endpoint, one worker',
  limit: { what: 'bare fetch loop, the same concurrency, signed', atLeast: 0.5 },
  async prepare(bench) {
    const { services, startServer } = bench.installation;
    const receiver = await startServer('receiveWebhooks');
    const url = `${receiver}/`;
    const { companyId, endpointId } = await companyWithFeed(services, url);
    const update = (changes: string) =>
      services.sql.run(
        `UPDATE webhook_endpoints SET ${changes}, run = run + 1, leaseUntil = NULL WHERE companyId = ? AND id = ?`,
        [companyId, endpointId],
      );
    const bare = bench.startMeasurer<WebhookTask>('dist/bench/limits/sendWebhooks.js');
    const task = { url, concurrency: settings.inFlight, body: await bodyOf(services, companyId) };
    return {
      // Sends the feed from its beginning.
      project: async (seconds) => {
        const measured = fetch(`${receiver}/rate?seconds=${seconds}`);
        await update('position = 0, enabled = 1, failures = 0, failingSince = NULL');
        await wakeEndpoint(services, { companyId, endpointId }, `bench-${performance.now()}`);
        const { requests, ms } = (await (await measured).json()) as { requests: number; ms: number };
        await update('enabled = 0');
        return { perSecond: requests / (ms / 1_000), p50Ms: null, p99Ms: null, done: requests };
      },
      limit: (seconds) => bare.run({ ...task, seconds }),
    };
  },
};

/** Creates a company with a long feed, and an endpoint that is disabled. */
async function companyWithFeed(services: Services, url: string): Promise<{ companyId: number; endpointId: number }> {
  const input = { name: 'Receiver', email: 'billing@receiver.example' };
  const { id: companyId } = await services.performForInstallation(actor, (work) => createCompany(work, input));
  const { id: endpointId } = await services.perform({ companyId, actor }, (uow) =>
    createWebhookEndpoint(uow, { url, enabled: false }, services),
  );
  await seedEvents(services, companyId, events);
  return { companyId, endpointId };
}

/** Returns the body of the webhook of one event. */
async function bodyOf({ sql }: Services, companyId: number): Promise<string> {
  const [event] = (await readFeed(sql, companyId, { after: 0, limit: 1 })).events;
  if (event === undefined) throw new Error('the feed is empty');
  return JSON.stringify({ type: event.type, timestamp: event.createdAt, data: feedEventJson(event) });
}
