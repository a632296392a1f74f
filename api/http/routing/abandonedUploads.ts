import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../../../shared/engine/process';

/** Longer than any request takes. */
const ABANDONED_AFTER_MS = 3_600_000;

const ofThisUser = (): string => `invoicing-upload-${userInfo().uid}-`;

/** Returns the common beginning of the paths of a process's upload folders. */
export function uploadFolders(pid = process.pid): string {
  return join(tmpdir(), `${ofThisUser()}${pid}-`);
}

/** Removes upload folders left by a killed process. Returns how many. */
export async function removeAbandonedUploads(): Promise<number> {
  const prefix = ofThisUser();
  let removed = 0;
  for (const name of (await readdir(tmpdir())).filter((one) => one.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    const owner = Number(name.slice(prefix.length).split('-')[0]);
    const isOwn = owner === process.pid;
    // The clock of this process may be wrong.
    if (!isOwn && isRunning(owner)) continue;
    // Its request or another process has removed it meanwhile.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
    // In a container, an earlier process had the id of this one.
    if ((isOwn ? performance.timeOrigin : Date.now()) - mtimeMs <= ABANDONED_AFTER_MS) continue;
    await rm(folder, { recursive: true, force: true });
    removed++;
  }
  return removed;
}
