import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { tmpdir, userInfo } from 'node:os';

/** No request takes this long. */
const ABANDONED_AFTER_MS = 3_600_000;

/** What the names of the folders of uploads begin with. */
export function uploadFolders(): string {
  return join(tmpdir(), `invoicing-upload-${userInfo().uid}-`);
}

/** Removes the folders of uploads whose process was killed before it could. */
export async function removeAbandonedUploads(): Promise<void> {
  const parent = dirname(uploadFolders());
  for (const name of await readdir(parent)) {
    if (!name.startsWith(basename(uploadFolders()))) continue;
    const { mtimeMs } = await stat(join(parent, name));
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(join(parent, name), { recursive: true, force: true });
  }
}
