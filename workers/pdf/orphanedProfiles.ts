import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../shared/engine/log';
import { isRunning } from '../../shared/engine/process';

/**
 * Removes browser profiles left by killed workers. What cannot be removed is left for the next browser that starts: the browser of a
 * worker that was killed just now may still write into its profile.
 */
export async function removeOrphanedProfiles(folder: string, log: Logger): Promise<void> {
  for (const name of await readdir(folder)) {
    const owner = /^profile-(\d+)-/.exec(name)?.[1];
    if (!owner || isRunning(Number(owner))) continue;
    try {
      await rm(join(folder, name), { recursive: true, force: true });
    } catch (error) {
      log.info({ err: error, name }, 'the profile of a killed worker’s browser is left for later');
    }
  }
}
