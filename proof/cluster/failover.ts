import {
  createInvoice,
  createLink,
  createSeries,
  downloadPdf,
  listInvoices,
  receiveWebhook,
  sendEmail,
} from '../faults/operations/kinds';
import { playStrike, type Strike } from '../faults/playStrike';
import type { World } from '../faults/World';
import type { EngineFault } from './Engine';

/** Seconds from the new primary until everything works. */
export const recoversWithin = 15;

const kinds = [createInvoice, sendEmail, createLink, downloadPdf, receiveWebhook, createSeries, listInvoices];

interface Failover<S> extends Pick<Strike, 'spreadMs' | 'check'> {
  readonly what: string;
  /** Makes the fault. Resolves when there is a new primary, as {@link Strike.hit} does when the fault is over. */
  readonly hit: (servers: S, world: World) => ReturnType<Strike['hit']>;
}

/** Plays a failover under operations of all kinds. */
export function failover<S>({ what, hit, ...strike }: Failover<S>): EngineFault<S> {
  return {
    what,
    play: (servers) => (world, random, options) =>
      playStrike(world, random, options, { kinds, hit: () => hit(servers, world), ...strike }),
  };
}
