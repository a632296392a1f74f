import type { WebhookTask } from '../limits/sendWebhooks';
import { deliveries as settings } from '../../config/queues';
import { Deliveries } from '../webhooks/Deliveries';
import type { Row } from './Row';

/** More than one measurement can send. */
const events = 100_000;

export const webhooks: Row = {
  name: 'webhooks',
  what: 'events to one webhook endpoint, one worker',
  limit: { what: 'bare fetch loop, the same concurrency, signed', atLeast: 0.5 },
  async prepare(bench) {
    const deliveries = await Deliveries.start(bench.installation, 1, events);
    const bare = bench.startMeasurer<WebhookTask>('dist/bench/limits/sendWebhooks.js');
    const task = { url: deliveries.url, concurrency: settings.inFlight, body: await deliveries.body() };
    return {
      project: (seconds) => deliveries.measure(seconds),
      limit: (seconds) => bare.run({ ...task, seconds }),
    };
  },
};
