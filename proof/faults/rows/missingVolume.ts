import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../Fault';
import { downloadPdf, uploadReceipt } from '../operations/kinds';
import { onlyUnavailable, playStrike } from '../playStrike';

export const missingVolume: Fault = {
  name: 'missing-volume',
  what: 'the volume of the files is unmounted, an empty folder is in its place, and it comes back some seconds later',
  recoversWithin: 30,
  play: (world, random, options) =>
    playStrike(world, random, options, {
      kinds: [uploadReceipt, downloadPdf],
      operations: { full: 24, quick: 12 },
      hit: async ({ installation: { dataDir } }) => {
        const files = join(dataDir, 'files');
        renameSync(files, `${files}.unmounted`);
        mkdirSync(files);
        await sleep(random.between(1_000, 4_000));
        rmSync(files, { recursive: true });
        renameSync(`${files}.unmounted`, files);
      },
      check: onlyUnavailable,
    }),
};
