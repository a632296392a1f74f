import { createServer } from 'node:http';
import { listenOnLoopback, type Listening } from '../../../dev/servers/listenOnLoopback';
import { jsonOf, type HttpClient } from '../../installation/HttpClient';

/** A webhook endpoint on loopback that responds immediately. */
export class WebhookReceiver {
  private arrived: (() => void) | null = null;
  private readonly server = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
    this.arrived?.();
  });

  private listening: Listening | null = null;
  private endpointId = 0;

  private constructor(private readonly client: HttpClient) {}

  /** Creates the endpoint, which gets the events of these types. @throws {Error} when it is refused. */
  static async open(client: HttpClient, types: readonly string[]): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(client);
    receiver.listening = await listenOnLoopback(receiver.server);
    const body = { url: `${receiver.listening.url}/`, types };
    const reply = await client.send({ path: '/api/webhook-endpoints', method: 'POST', body });
    if (reply.status !== 201) throw new Error(`endpoint: ${reply.status} ${reply.body.toString()}`);
    receiver.endpointId = jsonOf<{ id: number }>(reply).id;
    return receiver;
  }

  /** Resolves when the next webhook arrives. @throws {Error} with the name `TimeoutError` when none arrives in time. */
  next(withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = Object.assign(new Error('no webhook arrived'), { name: 'TimeoutError' });
      const timer = setTimeout(() => reject(late), withinMs);
      this.arrived = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async close(): Promise<void> {
    await this.client.send({ path: `/api/webhook-endpoints/${this.endpointId}`, method: 'DELETE' });
    await this.listening?.close();
  }
}
