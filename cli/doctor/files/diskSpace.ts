import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { broken, type Finding, ok, warning } from '../../../shared/engine/checks';

const MIB = 1024 * 1024;
/** Below this, the store can be full before an operator notices. */
const LOW_MIB = 1_024;
const FULL_MIB = 100;

/** Checks the free space of the disk that holds the folder, for this user. */
export async function checkDiskSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfsOf(folder);
  return spaceFinding(folder, Math.floor((bavail * bsize) / MIB));
}

/** Judges the free space, in MiB. */
export function spaceFinding(folder: string, freeMib: number): Finding {
  const found = `${freeMib} MiB are free on the disk of ${folder}`;
  const remedy = 'Free space on the disk, or enlarge it. A full disk refuses uploads and PDFs.';
  if (freeMib < FULL_MIB) return broken(found, remedy);
  return freeMib < LOW_MIB ? warning(found, remedy) : ok(found);
}

/** Of the nearest folder that exists: the first process creates the folder itself. */
async function statfsOf(folder: string): Promise<StatsFs> {
  try {
    return await statfs(folder);
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    return statfsOf(parent);
  }
}
