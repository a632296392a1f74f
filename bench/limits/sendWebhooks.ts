import { createHmac, randomBytes } from 'node:crypto';
import { type Sample, sampleOfLoop } from '../measuring/Sample';
import { serveTasks } from '../../dev/tasks/serveTasks';

export interface WebhookTask {
  url: string;
  /** Requests at the same time. */
  concurrency: number;
  seconds: number;
  body: string;
}

serveTasks(sendWebhooks);

/** Sends the same event repeatedly by the runtime's `fetch`, with a signature of its own each time. Records nothing. */
async function sendWebhooks({ url, concurrency, seconds, body }: WebhookTask): Promise<Sample> {
  const key = randomBytes(32);
  let sent = 0;
  return sampleOfLoop(concurrency, seconds, async () => {
    const id = `evt_${sent++}`;
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
    const response = await fetch(url, { method: 'POST', headers, body });
    await response.arrayBuffer();
  });
}
