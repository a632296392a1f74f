import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { listenOnLoopback, type Listening } from '../../dev/servers/listenOnLoopback';
import { jsonOf } from '../installation/HttpClient';
import { patienceMs } from './Fault';
import type { World } from './World';

/**
 * An endpoint of the company that accepts every event during faults. Each event must arrive with a valid signature;
 * some may arrive twice, with the same `webhook-id`.
 */
export class WebhookReceiver {
  private readonly problems = new Set<string>();

  private constructor(
    private readonly world: World,
    private readonly listening: Listening,
    private readonly endpointId: number,
    private readonly webhook: Webhook,
  ) {}

  static async start(world: World): Promise<WebhookReceiver> {
    const server = createServer();
    const listening = await listenOnLoopback(server);
    const body = { url: `${listening.url}/` };
    const reply = await world.send(world.firstApi, { path: '/api/webhook-endpoints', method: 'POST', body });
    if (reply.status !== 201) throw new Error(`the endpoint was not created: ${reply.status} ${reply.body.toString()}`);
    const { id, secret } = jsonOf<{ id: number; secret: string }>(reply);
    const receiver = new WebhookReceiver(world, listening, id, new Webhook(secret));
    server.on('request', (request, response) => {
      void receiver.take(request).then((status) => response.writeHead(status).end());
    });
    return receiver;
  }

  /** Waits until all events have arrived, and returns the problems. */
  async end(): Promise<string[]> {
    const deadline = Date.now() + patienceMs;
    let missing = await this.missing();
    while (missing.length > 0 && Date.now() < deadline) {
      await sleep(200);
      missing = await this.missing();
    }
    await this.listening.close();
    return [
      ...this.problems,
      ...(missing.length > 0 ? [`${missing.length} events were not sent to the endpoint`] : []),
    ];
  }

  private async take(request: IncomingMessage): Promise<number> {
    try {
      const body = await text(request);
      this.webhook.verify(body, request.headers as Record<string, string>);
      const { data } = JSON.parse(body) as { data: { id: number } };
      if (request.headers['webhook-id'] !== `evt_${data.id}`)
        this.problems.add('an id of a webhook is not that of its event');
      this.world.received.add(`evt_${data.id}`);
      return 204;
    } catch (error) {
      // A worker that was killed sends half a request.
      if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) {
        this.problems.add(`a webhook could not be read: ${String(error)}`);
      }
      return 400;
    }
  }

  private async missing(): Promise<string[]> {
    const { installation, companyId } = this.world;
    const events = await installation.services.sql.rows<{ seq: number | null }>(
      `SELECT seq FROM events WHERE companyId = ? AND id >
        (SELECT id FROM events WHERE companyId = ? AND type = 'webhook_endpoint.created' AND subjectId = ?)`,
      [companyId, companyId, this.endpointId],
    );
    return events.map(({ seq }) => `evt_${seq}`).filter((id) => !this.world.received.has(id));
  }
}
