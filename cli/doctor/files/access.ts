import { randomUUID } from 'node:crypto';
import { broken, type Finding, ok, reasonOf, warning } from '../../../shared/engine/checks';
import { ServiceUnavailable } from '../../../shared/engine/errors';
import type { FileStore } from '../../../shared/engine/files';

/** Checks that this process may write, read and remove a file: `tmp/doctor-…`, where the clean-up would remove it, too. */
export async function checkAccess(store: FileStore): Promise<Finding> {
  const key = `tmp/doctor-${randomUUID()}`;
  const content = Buffer.from(key);
  try {
    await store.put(key, content);
    const found = await store.get(key);
    await store.remove(key);
    if (found?.equals(content)) return ok(`a file was written, read and removed in ${store.place}`);
    return broken(`${store.place} returns other bytes than were written`, 'Look at the disk or the store behind it.');
  } catch (error) {
    if (!(error instanceof ServiceUnavailable)) throw error;
    return refusal(store.place, error);
  }
}

function refusal(place: string, error: ServiceUnavailable): Finding {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    return warning(
      `${place} does not exist`,
      'The first process of a new installation creates it. Otherwise mount its volume, or correct FILES_DIR.',
    );
  }
  const remedy = remedies[code ?? ''] ?? 'Correct FILES_DIR or the S3_… variables, and what the store responds with.';
  return broken(`a file cannot be written, read and removed in ${place}: ${reasonOf(error)}`, remedy);
}

const notAllowed = 'Let the user of the service own the folder: chown -R it to that user.';
const remedies: Readonly<Record<string, string>> = {
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: 'Mount the volume with write access.',
  ENOSPC: 'Free space on the disk, or enlarge it.',
  EDQUOT: 'Raise the quota of the user of the service.',
  ENOTDIR: 'Let FILES_DIR name a folder.',
};
