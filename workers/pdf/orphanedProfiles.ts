import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes browser profiles left by killed workers. */
export async function removeOrphanedProfiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const owner = /^profile-(\d+)-/.exec(name)?.[1];
    if (owner && !isRunning(Number(owner))) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    return true;
  }
}
