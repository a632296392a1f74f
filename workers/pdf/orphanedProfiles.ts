import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from '../../shared/engine/process';

/** Removes browser profiles left by killed workers. */
export async function removeOrphanedProfiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const owner = /^profile-(\d+)-/.exec(name)?.[1];
    if (owner && !isRunning(Number(owner))) await rm(join(folder, name), { recursive: true, force: true });
  }
}
