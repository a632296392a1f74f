import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** No request takes this long. */
const ABANDONED_AFTER_MS = 3_600_000;

const ofThisUser = (): string => `invoicing-upload-${userInfo().uid}-`;

/** What the paths of the folders of this process's uploads begin with. */
export function uploadFolders(): string {
  return join(tmpdir(), `${ofThisUser()}${process.pid}-`);
}

/** Removes the folders of uploads whose process was killed before it could. Answers how many. */
export async function removeAbandonedUploads(): Promise<number> {
  const prefix = ofThisUser();
  let removed = 0;
  for (const name of (await readdir(tmpdir())).filter((one) => one.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    // Gone by now: its own request or another process has removed it.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs <= ABANDONED_AFTER_MS) continue;
    await rm(folder, { recursive: true, force: true });
    removed++;
  }
  return removed;
}
