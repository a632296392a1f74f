import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient, newInvoice } from '../../installation/HttpClient';
import type { Fault } from '../Fault';

const connections = 16;
/** A refused connection loses nothing, because nothing was sent: the caller tries the next API. */
const harmless = ['ECONNREFUSED'];

export const stoppedApi: Fault = {
  name: 'stopped-api',
  what: 'SIGTERM of an API under load on kept connections: every request that it took gets its response',
  recoversWithin: 30,
  play: async (world, random, options) => {
    const api = random.oneOf(world.installation.apis);
    const { clientId } = await world.subject();
    const client = new HttpClient(api.url, world.token, connections);
    const tally = { accepted: 0, problems: [] as string[] };
    let stopping = false;
    const load = async (index: number): Promise<void> => {
      for (;;) {
        try {
          const isRead = index % 2 === 0;
          const reply = await client.send(
            isRead ? { path: '/api/invoices' } : { path: '/api/invoices', method: 'POST', body: newInvoice(clientId) },
          );
          if (reply.status === (isRead ? 200 : 201)) tally.accepted += 1;
          else tally.problems.push(String(reply.status));
        } catch (error) {
          const code = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
          if (stopping && harmless.includes(code)) return;
          tally.problems.push(code);
          if (stopping) return;
        }
      }
    };
    const loads = Array.from({ length: connections }, (_, index) => load(index));
    await sleep(random.between(200, options.quick ? 1_000 : 2_000));
    stopping = true;
    const begun = Date.now();
    await api.machine.stop();
    const recoverySeconds = (Date.now() - begun) / 1000;
    await Promise.all(loads);
    client.close();
    await api.machine.start();
    const lost = tally.problems.length;
    const expected = tally.accepted + lost;
    const problems = lost === 0 ? [] : [`${lost} requests failed (${[...new Set(tally.problems)].join(', ')})`];
    return {
      accepted: tally.accepted,
      expected,
      found: tally.accepted,
      lost,
      doubled: 0,
      uncertain: 0,
      recoverySeconds,
      problems,
    };
  },
};
