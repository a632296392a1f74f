import { setTimeout as sleep } from 'node:timers/promises';
import type { CallResult } from '../../faults/calls';
import { downloadPdf, sendEmail, uploadReceipt } from '../../faults/operations';
import { playStrike, type Strike } from '../../faults/playStrike';
import { startCephBucket, whyNoCeph, type CephBucket } from '../../installation/CephBucket';
import { engine, type EngineFault, type Servers } from '../Engine';
import { playShared } from './playShared';

/** Longer than the time-out of a request to the store, which is 20 s. */
const unreachableMs = 21_000;

export const bucket = engine<CephBucket & Servers>({
  name: 'bucket',
  what: 'a bucket of Ceph, with versions and encryption',
  recoversWithin: 30,
  impossible: whyNoCeph,
  start: async (dataDir) => ({ ...(await startCephBucket(dataDir)), isWhole: () => Promise.resolve(true) }),
  settings: ({ variables }) => ({ variables }),
  faults: {
    shared: {
      what: 'what one API writes the other reads; parts, lists, deletions, eviction, refusals',
      play: () => playShared,
    },
    killed: unreachable('kill -9 of its S3 server, which comes back 21 s later', async ({ gateway }) => {
      await gateway.kill();
      await sleep(unreachableMs);
      return () => gateway.start();
    }),
    silent: unreachable('its S3 server is frozen for 21 s, as behind a network that is cut', async ({ gateway }) => {
      gateway.signal('SIGSTOP');
      await sleep(unreachableMs);
      gateway.signal('SIGCONT');
    }),
  },
});

function unreachable(what: string, hit: (bucket: CephBucket) => ReturnType<Strike['hit']>): EngineFault<CephBucket> {
  return {
    what,
    play: (servers) => (world, random, options) =>
      playStrike(world, random, options, {
        kinds: [uploadReceipt, downloadPdf, sendEmail],
        hit: () => hit(servers),
        check: someMet,
      }),
  };
}

function someMet(results: readonly CallResult[]): string[] {
  const met = results.some(({ tries }) => tries.includes('503'));
  return met ? [] : ['no request met the store while it was unreachable'];
}
