import { addDays, dayIn, LAST_DAY } from '../../../shared/dates/dates';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

const items = Array.from({ length: 1_000 }, () => ({ description: 'x'.repeat(500), quantity: '1', unitPrice: '1.00' }));
/** Of one call. */
const days = 2;

export const sandboxRuns: Attack = {
  name: 'sandbox-runs',
  what: 'a sandbox that makes three invoices of 1,000 items for each day to come, 1 connection',
  prepare: (ground) => ground.newSandbox(3, () => ({ items, recurring: 'daily' })),
  run: (attacker, signal) =>
    repeat(attacker, 1, signal, (turn) => {
      const asOf = addDays(dayIn('UTC', new Date()), days * (turn + 1)) ?? LAST_DAY;
      return attacker.send({ path: '/api/schedules/run', method: 'POST', body: { asOf } });
    }),
};
