import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Machine } from '../../../dev/installation/Machine';
import type { Fault } from '../Fault';
import { createInvoice, createLink, downloadPdf, endLink, replaceLink, sendEmail, uploadReceipt } from '../operations';
import { onlyUnavailable, playStrike, type Strike } from '../playStrike';

/** A fault at a random time among operations. */
const strike = (facts: Pick<Fault, 'name' | 'what' | 'mayBeUncertain'> & Strike): Fault => ({
  ...facts,
  recoversWithin: 30,
  play: (world, random, options) => playStrike(world, random, options, facts),
});

/** Kills a process; it starts again while the recovery is measured. */
async function kill({ machine }: { machine: Machine }): Promise<() => Promise<void>> {
  await machine.kill();
  return () => machine.start();
}

/** Faults that need no preparation. */
export const strikes: readonly Fault[] = [
  strike({
    name: 'killed-api',
    what: 'kill -9 of an API process during creates and send-emails',
    kinds: [createInvoice, sendEmail],
    // So close together that the kill hits some after their commit and before their response.
    operations: { full: 60, quick: 40 },
    spreadMs: { full: 400, quick: 200 },
    hit: ({ installation }, random) => kill(random.oneOf(installation.apis)),
  }),
  strike({
    name: 'killed-worker',
    what: 'kill -9 of a worker during e-mails, payment links and PDFs',
    mayBeUncertain: true,
    kinds: [sendEmail, createLink, downloadPdf],
    hit: ({ installation }, random) => kill(random.oneOf(installation.workers)),
  }),
  strike({
    name: 'killed-stripe',
    what: 'kill -9 of a worker while links of Stripe are made, replaced and ended: each invoice keeps at most one',
    prepare: (world) => world.choose('stripe'),
    kinds: [createLink, replaceLink, endLink],
    hit: ({ installation }, random) => kill(random.oneOf(installation.workers)),
  }),
  strike({
    name: 'silent-redis',
    what: 'every connection to Redis goes silent without an end; new ones work',
    kinds: [sendEmail, createLink, downloadPdf],
    hit: ({ processes }) => {
      for (const { redis } of processes) redis.proxy.vanish();
      return Promise.resolve();
    },
  }),
  strike({
    name: 'emptied-redis',
    what: 'kill -9 of Redis, which comes back empty up to two seconds later',
    kinds: [sendEmail, createLink, downloadPdf],
    hit: async ({ installation: { redis, dataDir } }, random) => {
      await redis.kill();
      await sleep(random.between(0, 2_000));
      const folder = join(dataDir, 'redis');
      for (const name of readdirSync(folder)) {
        if (/^(appendonly|dump)/.test(name)) rmSync(join(folder, name), { recursive: true });
      }
      await redis.start();
    },
  }),
  strike({
    name: 'killed-mysql',
    what: 'kill -9 of MySQL, which comes back up to two seconds later',
    kinds: [createInvoice, sendEmail, createLink],
    hit: async ({ installation: { mysql } }, random) => {
      await mysql.kill();
      await sleep(random.between(0, 2_000));
      await mysql.start();
    },
  }),
  strike({
    name: 'missing-volume',
    what: 'the volume of the files is unmounted, an empty folder is in its place, and it comes back some seconds later',
    kinds: [uploadReceipt, downloadPdf],
    operations: { full: 24, quick: 12 },
    hit: async ({ installation: { dataDir } }, random) => {
      const files = join(dataDir, 'files');
      renameSync(files, `${files}.unmounted`);
      mkdirSync(files);
      await sleep(random.between(1_000, 4_000));
      rmSync(files, { recursive: true });
      renameSync(`${files}.unmounted`, files);
    },
    check: onlyUnavailable,
  }),
];
