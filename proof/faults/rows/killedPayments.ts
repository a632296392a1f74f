import { setTimeout as sleep } from 'node:timers/promises';
import { listPayments } from '../../../shared/payments';
import { addRounds, type Fault, noCounts, type Round } from '../Fault';
import { payLink, recordPayment } from '../operations';
import { playStrike } from '../playStrike';
import { waitUntil } from '../../installation/waiting';
import type { World } from '../World';

/** Links of each provider. */
const links = { full: 20, quick: 4 };
const recordedWithinMs = 90_000;

export const killedPayments: Fault = {
  name: 'killed-payments',
  what: 'kill -9 of an API and a worker while links of both providers are paid and payments are recorded by hand',
  recoversWithin: 30,
  play: async (world, random, options) => {
    const prepared = await preparedLinks(world, links[options.quick ? 'quick' : 'full']);
    const struck = await playStrike(world, random, options, {
      kinds: [recordPayment],
      hit: async ({ installation }) => {
        const [api, worker] = [random.oneOf(installation.apis), random.oneOf(installation.workers)];
        const paying = prepared.map(async ({ url }) => {
          await sleep(random.between(0, 600));
          await payLink.pay(url);
        });
        await sleep(random.between(0, 600));
        await Promise.all([api.machine.kill(), worker.machine.kill()]);
        await Promise.all(paying);
        return async () => void (await Promise.all([api.machine.start(), worker.machine.start()]));
      },
    });
    return addRounds(struck, await countPaid(world, prepared));
  },
};

interface PreparedLink {
  invoiceId: number;
  url: string;
}

async function preparedLinks(world: World, ofEach: number): Promise<PreparedLink[]> {
  const prepared: PreparedLink[] = [];
  for (const provider of ['xendit', 'stripe'] as const) {
    await world.choose(provider);
    for (let index = 0; index < ofEach; index++) {
      const { invoiceId } = await world.subject();
      prepared.push({ invoiceId, ...(await payLink.prepare(world, invoiceId)) });
    }
  }
  return prepared;
}

/** Checks that each link has one payment, and that its invoice is paid with nothing due. */
async function countPaid(world: World, prepared: readonly PreparedLink[]): Promise<Round> {
  const begun = Date.now();
  const counts = { ...noCounts(), accepted: prepared.length, expected: prepared.length };
  const problems: string[] = [];
  const { services } = world.installation;
  for (const { invoiceId } of prepared) {
    const isPaid = await waitUntil(() => payLink.isPaid(world, invoiceId), begun + recordedWithinMs - Date.now());
    const request = { page: 1, limit: 100, sortBy: 'id', sortOrder: 'asc', includeDeleted: false } as const;
    const { data, balance } = await listPayments(services.sql, world.companyId, invoiceId, request);
    if (data.length > 1) counts.doubled += 1;
    if (isPaid) counts.found += 1;
    else counts.lost += 1;
    const { due, excess } = balance;
    if (data.length === 1 && (due !== '0.00' || excess !== '0.00')) problems.push(`due ${due}, excess ${excess}`);
  }
  return { ...counts, recoverySeconds: 0, problems };
}
