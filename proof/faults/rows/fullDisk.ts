import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../Fault';
import { uploadReceipt } from '../operations';
import { onlyUnavailable, playStrike } from '../playStrike';

/** Free megabytes in addition to the size of the store. */
const room = 16;

export const fullDisk: Fault = {
  name: 'full-disk',
  what: 'the disk of the files is full for some seconds during uploads',
  recoversWithin: 30,
  impossible: async ({ dataDir, disks }) => {
    const folder = mkdtempSync(join(dataDir, 'mount-'));
    try {
      await disks.mount(folder, room);
      await disks.unmount(folder);
      return null;
    } catch (error) {
      return `a small disk cannot be mounted here: ${(error as Error).message.trim().split('\n').pop()}`;
    }
  },
  play: async (world, random, options) => {
    const { dataDir, disks } = world.installation;
    const files = join(dataDir, 'files');
    const kept = `${files}.kept`;
    // Moves the store onto a disk of a few megabytes, and back afterwards.
    cpSync(files, kept, { recursive: true });
    await disks.mount(files, room + megabytesOf(kept));
    const putBack = async (): Promise<void> => {
      cpSync(files, kept, { recursive: true });
      await disks.unmount(files);
      rmSync(files, { recursive: true });
      cpSync(kept, files, { recursive: true });
      rmSync(kept, { recursive: true });
    };
    try {
      cpSync(kept, files, { recursive: true });
      return await playStrike(world, random, options, {
        kinds: [uploadReceipt],
        operations: { full: 30, quick: 15 },
        hit: async () => {
          const filler = join(files, 'filler');
          fill(filler);
          await sleep(random.between(500, 2_000));
          rmSync(filler, { recursive: true });
        },
        check: onlyUnavailable,
      });
    } finally {
      await putBack();
    }
  },
};

function megabytesOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  // In whole pages, as tmpfs allocates.
  const bytes = entries.map((entry) => Math.ceil(statSync(join(entry.parentPath, entry.name)).size / 4_096) * 4_096);
  return Math.ceil(bytes.reduce((sum, size) => sum + size, 0) / 1_048_576);
}

/** Fills the disk. */
function fill(path: string): void {
  mkdirSync(path, { recursive: true });
  for (const bytes of [1_048_576, 4_096]) {
    for (let index = 0; ; index++) {
      try {
        writeFileSync(join(path, `${bytes}-${index}`), Buffer.alloc(bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        break;
      }
    }
  }
}
