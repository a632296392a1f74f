import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../faults/Fault';
import { downloadPdf, sendEmail, uploadReceipt } from '../../faults/operations/kinds';
import { playStrike, type Strike } from '../../faults/playStrike';
import type { CephBucket } from '../../installation/CephBucket';
import { playShared } from './playShared';

const what = 'a bucket of Ceph, with versions and encryption';

/** What happens to the files of two APIs and two workers in one bucket. */
export interface BucketRow {
  readonly name: string;
  readonly what: string;
  on(bucket: CephBucket): Fault;
}

/** Longer than the time-out of a request to the store, which is 20 s. */
const unreachableMs = 21_000;

const hits: Record<string, { what: string; hit: (bucket: CephBucket) => Strike['hit'] }> = {
  killed: {
    what: 'kill -9 of its S3 server, which comes back 21 s later',
    hit:
      ({ gateway }) =>
      async () => {
        await gateway.kill();
        await sleep(unreachableMs);
        return () => gateway.start();
      },
  },
  silent: {
    what: 'its S3 server is frozen for 21 s, as behind a network that is cut',
    hit:
      ({ gateway }) =>
      async () => {
        gateway.signal('SIGSTOP');
        await sleep(unreachableMs);
        gateway.signal('SIGCONT');
      },
  },
};

/** All rows, in the order in which they are played. */
export const bucketRows: readonly BucketRow[] = [
  row(
    'bucket-shared',
    `${what}: what one API writes the other reads; parts, lists, deletions, eviction, refusals`,
    () => playShared,
  ),
  ...Object.entries(hits).map(([kind, { what: happens, hit }]) =>
    row(
      `bucket-${kind}`,
      `${what}: ${happens}`,
      (bucket) => (world, random, options) =>
        playStrike(world, random, options, {
          kinds: [uploadReceipt, downloadPdf, sendEmail],
          hit: hit(bucket),
          check: (results) =>
            results.some(({ tries }) => tries.includes('503'))
              ? []
              : ['no request met the store while it was unreachable'],
        }),
    ),
  ),
];

function row(name: string, what: string, play: (bucket: CephBucket) => Fault['play']): BucketRow {
  return { name, what, on: (bucket) => ({ name, what, recoversWithin: 30, play: play(bucket) }) };
}
