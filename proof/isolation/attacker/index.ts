import { serveTasks } from '../../../dev/tasks/serveTasks';
import { goAfterOthers } from '../../../shared/engine/process';
import { HttpClient } from '../../installation/HttpClient';
import type { AttackOutcome, Attacker, Company } from '../Attack';
import { attacks } from '../attacks';

export interface AttackTask {
  readonly attack: string;
  readonly baseUrl: string;
  readonly company: Company;
  readonly quick: boolean;
}

// A real attacker has another machine: this process must not take CPU time from the measured ones.
goAfterOthers(10);

/** Runs one attack until it is interrupted. */
serveTasks(async ({ attack: name, baseUrl, company, quick }: AttackTask, signal, hasBegun): Promise<AttackOutcome> => {
  const attack = attacks.find((one) => one.name === name);
  if (attack === undefined) throw new Error(`there is no attack ${name}`);
  const counts: Record<string, number> = {};
  const count = (what: string): void => {
    if (Object.keys(counts).length === 0) hasBegun();
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const client = new HttpClient(baseUrl, company.token);
  const attacker: Attacker = {
    baseUrl,
    company,
    quick,
    count,
    send: async (call) => {
      const reply = await client.send({ timeoutMs: 120_000, signal, ...call });
      count(String(reply.status));
      return reply;
    },
  };
  try {
    await attack.run(attacker, signal);
  } catch (error) {
    // An error after the interruption is expected. Before it, the attack has failed and proves nothing.
    if (!signal.aborted) throw error;
  }
  client.close();
  return { counts };
});
