import { setTimeout as sleep } from 'node:timers/promises';
import { callPatiently } from '../callPatiently';
import type { Fault } from '../Fault';
import { newInvoice } from '../../isolation/newInvoice';
import { jsonOf } from '../../installation/HttpClient';
import { downloadPdf } from '../operations/kinds';
import { secondsUntilAllWorks } from '../recovery';
import type { World } from '../World';

/** A render that began this often is given up. */
const mostDeaths = 12;
const patienceMs = 240_000;

export const deadlyRender: Fault = {
  name: 'deadly-render',
  what: 'every worker that begins to render one PDF dies: the render ends, and the next PDF is printed',
  recoversWithin: 30,
  play: async (world, random) => {
    const { services, workers } = world.installation;
    const queue = `${services.config.redisPrefix}:pdf-long`;
    const invoiceId = await longInvoice(world);
    const until = Date.now() + patienceMs;
    const call = { path: `/api/invoices/${invoiceId}/pdf` };
    const operation = { call, isRight: () => true, count: () => Promise.resolve(0) };
    const asking = callPatiently(world, operation, 0, () => 0);
    const left = async (): Promise<boolean> => {
      const { redis } = services.queues;
      const [active, waiting, bulk] = await Promise.all([
        redis.llen(`${queue}:active`),
        redis.llen(`${queue}:wait`),
        redis.zcard(`${queue}:prioritized`),
      ]);
      return active + waiting + bulk > 0;
    };
    while (!(await left()) && Date.now() < until) await sleep(5);
    let deaths = 0;
    while (deaths < mostDeaths && (await left()) && Date.now() < until) {
      if ((await services.queues.redis.llen(`${queue}:active`)) === 0) {
        await sleep(5);
        continue;
      }
      await sleep(random.between(0, 100));
      await Promise.all(workers.map(({ machine }) => machine.kill()));
      deaths += 1;
      await Promise.all(workers.map(({ machine }) => machine.start()));
      // Until a worker has taken the render up again, or has given it up.
      await sleep(500);
    }
    const ended = !(await left());
    if (!ended) await services.queues.redis.del(`${queue}:active`, `${queue}:wait`, `${queue}:prioritized`);
    const { tries } = await asking;
    const recoverySeconds = await secondsUntilAllWorks(world, [downloadPdf]);
    const counts = { accepted: 0, expected: 0, found: 0, lost: 0, doubled: 0, uncertain: 0, recoverySeconds };
    const problem = `the render was still in the queue after ${deaths} dead workers (the caller got ${tries.join(', ')})`;
    if (deaths === 0) return { ...counts, problems: ['no worker began to render it'] };
    return { ...counts, problems: ended ? [] : [problem] };
  },
};

/** So long that a worker is killed before it is printed. */
async function longInvoice(world: World): Promise<number> {
  const [api] = world.installation.apis;
  if (api === undefined) throw new Error('there is no API');
  const { clientId } = await world.subject();
  const description = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n');
  const items = Array.from({ length: 1_000 }, () => ({ description, quantity: '1.00', unitPrice: '1.00' }));
  const body = newInvoice(clientId, { items });
  return jsonOf<{ id: number }>(await world.send(api, { path: '/api/invoices', method: 'POST', body })).id;
}
