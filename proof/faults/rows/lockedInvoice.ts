import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../Fault';
import { holdInvoice } from '../holdRows';
import { payLink } from '../payLink';
import { waitUntil } from '../waitUntil';

/** Longer than one attempt of the service: a few times the lock time-out, which is a fifth of DATABASE_TIMEOUT_MS. */
const heldMs = { full: 42_000, quick: 12_000 };
const recordedWithinMs = 60_000;

export const lockedInvoice: Fault = {
  name: 'locked-invoice',
  what: 'a row lock is held for 42 seconds (with --quick 12) on an invoice whose payment link is paid',
  recoversWithin: 30,
  play: async (world, random, options) => {
    const { invoiceId } = await world.subject();
    const held = heldMs[options.quick ? 'quick' : 'full'];
    const { url } = await payLink.prepare(world, invoiceId);
    const release = await holdInvoice(world, invoiceId);
    await sleep(random.between(0, 500));
    await payLink.pay(url);
    await sleep(held);
    await release();
    const released = Date.now();
    const paid = await waitUntil(() => payLink.isPaid(world, invoiceId), recordedWithinMs);
    const payments = await payLink.payments(world, invoiceId);
    return {
      accepted: 1,
      expected: 1,
      found: paid ? 1 : 0,
      lost: paid ? 0 : 1,
      doubled: payments > 1 ? 1 : 0,
      uncertain: 0,
      recoverySeconds: paid ? (Date.now() - released) / 1000 : Infinity,
      problems: [],
    };
  },
};
