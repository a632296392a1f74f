import type { Attack } from '../Attack';
import { changes } from './changes';
import { connections } from './connections';
import { endpoints } from './endpoints';
import { pdfs } from './pdfs';
import { reads } from './reads';

const parts = [...connections, ...pdfs, ...reads, ...changes, ...endpoints];

/** Attacks by one company at the same time. */
const together = (name: string, names: readonly string[]): Attack => ({
  name,
  what: `at the same time, by a company with 10,000 invoices: ${names.join(', ')}`,
  prepare: (ground) => Promise.resolve(ground.archive),
  run: async (attacker, signal) => {
    const chosen = parts.filter((attack) => names.includes(attack.name));
    await Promise.all(chosen.map((attack) => attack.run(attacker, signal)));
  },
});

/** Attacks on several parts of the API and of the workers at the same time. */
export const combined: readonly Attack[] = [
  together('chunks-and-filters', ['small-chunks', 'filters']),
  together('all-queues', ['pdf-flood', 'emails-without-wait', 'payment-links', 'imports']),
  together('everything', [
    ...['filters', 'searches', 'creates', 'pdf-flood', 'emails-without-wait', 'payment-links', 'imports'],
    'fast-endpoints',
  ]),
];
