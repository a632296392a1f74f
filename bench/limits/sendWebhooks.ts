import { createHmac, randomBytes } from 'node:crypto';
import { sampleOf, type Completion, type Sample } from '../measuring/Sample';
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
  const completions: Completion[] = [];
  const end = performance.now() + seconds * 1000;
  const sendUntilEnd = async (): Promise<void> => {
    for (let began = performance.now(); began < end; began = performance.now()) {
      const id = `evt_${completions.length}`;
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
      const at = performance.now();
      completions.push({ at, tookMs: at - began });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendUntilEnd));
  return sampleOf(completions, concurrency);
}
