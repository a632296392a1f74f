import { setTimeout as sleep } from 'node:timers/promises';
import { longRenderQueueName } from '../../../config/queues';
import type { RedisClient } from '../../../shared/engine/redis';
import { type Fault, noCounts } from '../Fault';
import { type World } from '../World';
import { jsonOf, newInvoice } from '../../installation/HttpClient';
import { downloadPdf } from '../operations';
import { secondsUntilAllWorks } from '../calls';

/** Killed workers after which the row fails: the render has three attempts and should have failed by then. */
const tooManyDeaths = 6;
const retryForMs = 120_000;
/** Shorter than a request waits for a PDF, so that some request always waits: a render without one is removed from the queue. */
const betweenCallsMs = 4_000;

export const deadlyRender: Fault = {
  name: 'deadly-render',
  what: 'every worker that begins to render one PDF dies: the render ends, and the next PDF is printed',
  recoversWithin: 30,
  play: async (world, random) => {
    const { services, workers } = world.installation;
    const { redis } = services.queues;
    const queue = `${services.config.queuePrefixes[longRenderQueueName]}:${longRenderQueueName}`;
    const until = Date.now() + retryForMs;
    const caller = new Caller(world, await longInvoice(world));
    let deaths = 0;
    // Also while workers start: on a busy machine that takes longer than a request waits.
    const calling = setInterval(() => caller.callAgain(), 100);
    try {
      while (!caller.isRefused && deaths < tooManyDeaths && Date.now() < until) {
        if ((await startsOf(queue, redis)) <= deaths) {
          await sleep(5);
          continue;
        }
        await sleep(random.between(0, 100));
        await Promise.all(workers.map(({ machine }) => machine.kill()));
        deaths += 1;
        await Promise.all(workers.map(({ machine }) => machine.start()));
      }
    } finally {
      clearInterval(calling);
    }
    await redis.del(`${queue}:active`);
    const recoverySeconds = await secondsUntilAllWorks(world, [downloadPdf]);
    const problem = `the render was not given up after ${deaths} dead workers (the callers got ${caller.replies.join(', ')})`;
    return { ...noCounts(), recoverySeconds, problems: caller.isRefused && deaths > 0 ? [] : [problem] };
  },
};

/** Returns how often workers have started the render, counted by BullMQ. */
async function startsOf(queue: string, redis: RedisClient): Promise<number> {
  const [jobId] = await redis.lrange(`${queue}:active`, 0, 0);
  return jobId === undefined ? 0 : Number(await redis.hget(`${queue}:${jobId}`, 'ats'));
}

/** Requests one PDF repeatedly, until the response says that it cannot be rendered. */
class Caller {
  readonly replies: string[] = [];
  isRefused = false;
  private calledAt = -Infinity;

  constructor(
    private readonly world: World,
    private readonly invoiceId: number,
  ) {}

  /** Sends one more request when the last one was sent long enough ago. */
  callAgain(): void {
    if (Date.now() - this.calledAt < betweenCallsMs) return;
    this.calledAt = Date.now();
    void this.call();
  }

  private async call(): Promise<void> {
    try {
      const reply = await this.world.send(this.world.firstApi, { path: `/api/invoices/${this.invoiceId}/pdf` });
      this.replies.push(String(reply.status));
      this.isRefused ||= reply.status === 503 && reply.body.includes('could not be rendered');
    } catch (error) {
      this.replies.push((error as NodeJS.ErrnoException).code ?? (error as Error).name);
    }
  }
}

/** Makes an invoice so long that its worker can be killed before it is printed. */
async function longInvoice(world: World): Promise<number> {
  const { clientId } = await world.subject();
  const description = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n');
  const items = Array.from({ length: 1_000 }, () => ({ description, quantity: '1.00', unitPrice: '1.00' }));
  const body = newInvoice(clientId, { items });
  return jsonOf<{ id: number }>(await world.send(world.firstApi, { path: '/api/invoices', method: 'POST', body })).id;
}
