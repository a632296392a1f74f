import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../dev/measuring/median';
import { createClient } from '../../shared/clients';
import { createCompany } from '../../shared/companies';
import { createWebhookEndpoint } from '../../shared/webhooks';
import { sampleClient } from '../installation/samples';
import type { Bench } from '../rows/Row';
import type { Figure } from './Figure';
import { queueRoundTrips } from './queueRoundTrips';

const actor = 'bench';
/** Longer than events gather under load, so that each finds an idle service. */
const pauseMs = 300;

/** How long a webhook takes from the commit of its event until it arrives, in an idle installation. */
export const deliveryDelay: Figure = {
  name: 'delivery-delay',
  what: 'a webhook, from the commit until it arrives',
  async measure(bench, quick) {
    const times = quick ? 10 : 60;
    const receiver = await Receiver.start();
    const delays = await delaysOf(bench, receiver, times);
    const requests = await receiver.requestTimes(times);
    receiver.stop();
    const roundTrips = await queueRoundTrips(bench, times);
    const baseline = median(roundTrips) + median(requests);
    return [
      {
        what: `commit to delivered (${median(delays).toFixed(1)} ms) against a BullMQ round trip and the request (${baseline.toFixed(1)} ms)`,
        value: median(delays) / baseline,
        atMost: 3,
      },
    ];
  },
};

async function delaysOf({ installation }: Bench, receiver: Receiver, times: number): Promise<number[]> {
  const { services } = installation;
  const input = { name: 'Receiver', email: 'billing@receiver.example' };
  const { id: companyId } = await services.performForInstallation(actor, (work) => createCompany(work, input));
  const scope = { companyId, actor };
  const endpoint = { url: receiver.url, types: ['client.created'] };
  await services.perform(scope, (uow) => createWebhookEndpoint(uow, endpoint, services));
  const delays: number[] = [];
  for (let index = 0; index < times; index++) {
    await sleep(pauseMs);
    const arrived = receiver.next();
    await services.perform(scope, (uow) => createClient(uow, sampleClient(index)));
    const committedAt = performance.now();
    delays.push((await arrived) - committedAt);
  }
  return delays;
}

/** An endpoint in this process. */
class Receiver {
  private arrived: (at: number) => void = () => undefined;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('request', (request, response) => {
      request.resume().on('end', () => {
        this.arrived(performance.now());
        response.writeHead(204).end();
      });
    });
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Receiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  }

  /** Resolves with the time at which the next request has arrived. */
  next(): Promise<number> {
    return new Promise((resolve) => (this.arrived = resolve));
  }

  async requestTimes(times: number): Promise<number[]> {
    const measured: number[] = [];
    for (let index = 0; index < times; index++) {
      const began = performance.now();
      await (await fetch(this.url, { method: 'POST', body: '{}' })).arrayBuffer();
      measured.push(performance.now() - began);
    }
    return measured;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
