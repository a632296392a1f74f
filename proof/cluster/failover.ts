import {
  createInvoice,
  createLink,
  createSeries,
  downloadPdf,
  listInvoices,
  receiveWebhook,
  sendEmail,
} from '../faults/operations';
import { playStrike, type Strike } from '../faults/playStrike';
import type { World } from '../faults/World';
import type { EngineFault } from './Engine';
import { installMissingServers } from '../../dev/servers/installSystemPackages';
import type { MysqlProxy } from '../installation/MysqlProxy';
import type { MysqlNode } from '../installation/MysqlServers';
import { untilTrue } from '../installation/waiting';

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

/** Returns the server to which HAProxy connects. @throws {Error} while there is none. */
export async function writerOf(proxy: MysqlProxy): Promise<MysqlNode> {
  const writer = await proxy.writer();
  if (writer === undefined) throw new Error('HAProxy connects to no server');
  return writer;
}

/** Waits until HAProxy connects to a server other than `lost`. */
export async function untilReplaced(proxy: MysqlProxy, lost: MysqlNode): Promise<void> {
  await untilTrue('another server writes', async () => (await writerOf(proxy)) !== lost);
}

/** Installs HAProxy as root on Debian or Ubuntu. Returns why this machine cannot run it, or null. */
export async function whyNoHaproxy(log: (line: string) => void): Promise<string | null> {
  return installMissingServers(['haproxy'], log).then(
    () => null,
    (error: unknown) => (error as Error).message,
  );
}
