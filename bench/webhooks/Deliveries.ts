import { createCompany } from '../../shared/companies';
import { feedEventJson, readFeed } from '../../shared/engine/events/feed';
import { createWebhookEndpoint, wakeEndpoint } from '../../shared/webhooks';
import { seedEvents } from '../installation/seedEvents';
import type { Installation } from '../installation/startInstallation';
import type { Sample } from '../measuring/Sample';

const actor = 'bench';

/** A company with a long feed, and endpoints that are sent all of it while they are measured. */
export class Deliveries {
  private constructor(
    private readonly installation: Installation,
    private readonly receiver: { url: string; stop(): Promise<void> },
    private readonly companyId: number,
    private readonly endpointIds: readonly number[],
  ) {}

  /** @param events of the feed, which is to last for longer than a measurement */
  static async start(installation: Installation, endpoints: number, events: number): Promise<Deliveries> {
    const { services } = installation;
    const receiver = await installation.startServer('dist/bench/limits/receiveWebhooks.js', {});
    const input = { name: 'Receiver', email: 'billing@receiver.example' };
    const { id: companyId } = await services.performForInstallation(actor, (work) => createCompany(work, input));
    const ids: number[] = [];
    for (let number = 0; number < endpoints; number++) {
      const endpoint = { url: `${receiver.url}/`, enabled: false };
      ids.push(
        (await services.perform({ companyId, actor }, (uow) => createWebhookEndpoint(uow, endpoint, services))).id,
      );
    }
    await seedEvents(services, companyId, events);
    return new Deliveries(installation, receiver, companyId, ids);
  }

  get url(): string {
    return `${this.receiver.url}/`;
  }

  /** Returns what is sent of one of the events. */
  async body(): Promise<string> {
    const { events } = await readFeed(this.installation.services.sql, this.companyId, { after: 0, limit: 1 });
    const [event] = events;
    if (event === undefined) throw new Error('the feed is empty');
    return JSON.stringify({ type: event.type, timestamp: event.createdAt, data: feedEventJson(event) });
  }

  /** Lets one of the endpoints respond never again, or respond as the others. */
  async hang(isHanging: boolean): Promise<void> {
    await this.update('url = ?', [`${this.receiver.url}/${isHanging ? 'hang' : ''}`], this.endpointIds.slice(0, 1));
  }

  /** Has the endpoints sent the feed from its beginning, for so many seconds. Returns the rate of all together. */
  async measure(seconds: number): Promise<Sample> {
    const measured = fetch(`${this.receiver.url}/rate?seconds=${seconds}`);
    const begin = 'position = 0, enabled = 1, failures = 0, failingSince = NULL, run = run + 1, leaseUntil = NULL';
    await this.update(begin, [], this.endpointIds);
    const { services } = this.installation;
    for (const endpointId of this.endpointIds) {
      await wakeEndpoint(services, { companyId: this.companyId, endpointId }, `bench-${performance.now()}`);
    }
    const { requests, ms } = (await (await measured).json()) as { requests: number; ms: number };
    await this.update('enabled = 0, run = run + 1, leaseUntil = NULL', [], this.endpointIds);
    return { perSecond: requests / (ms / 1_000), p50Ms: null, p99Ms: null, done: requests };
  }

  stop(): Promise<void> {
    return this.receiver.stop();
  }

  private async update(change: string, values: readonly string[], ids: readonly number[]): Promise<void> {
    await this.installation.services.sql.run(
      `UPDATE webhook_endpoints SET ${change} WHERE companyId = ? AND id IN (${ids.join(', ')})`,
      [...values, this.companyId],
    );
  }
}
