import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../attacker/repeat';
import { deliveredOrProblem, withReceiver } from '../attacker/withReceiver';
import type { Attack } from '../Attack';

const endpoints = { full: 50, quick: 15 };

export const slowEndpoints: Attack = {
  name: 'slow-endpoints',
  what: 'four companies with 50 webhook endpoints each (with --quick 15) that succeed after 14 s, and a change for all of them each second',
  prepare: async (ground) => {
    const company = await ground.newCompany();
    return { ...company, allies: [await ground.newCompany(), await ground.newCompany(), await ground.newCompany()] };
  },
  run: (attacker, signal) =>
    withReceiver(attacker, 14_000, async (url) => {
      const companies = [attacker.company, ...(attacker.company.allies ?? [])];
      const headersOf = ({ token }: { token: string }): Record<string, string> => ({
        Authorization: `Bearer ${token}`,
      });
      for (let index = 0; index < endpoints[attacker.quick ? 'quick' : 'full']; index++) {
        const create = { path: '/api/webhook-endpoints', method: 'POST', body: { url: `${url}/${index}` } } as const;
        await Promise.all(companies.map((company) => attacker.send({ ...create, headers: headersOf(company) })));
      }
      const change = (turn: number) => async (company: { token: string; clientId: number }) =>
        attacker.send({
          path: `/api/clients/${company.clientId}`,
          method: 'PUT',
          headers: headersOf(company),
          body: { name: `Client ${turn}` },
        });
      await repeat(attacker, 1, signal, async (turn) => {
        await Promise.all(companies.map(change(turn)));
        await sleep(1_000, undefined, { signal });
      });
    }),
  judge: deliveredOrProblem,
};
