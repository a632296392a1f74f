import { chmod, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns a folder under the system's temporary folder in which only this user can write; creates it if it is missing. Other
 * users may run the programs in it, because the browser of a worker that runs as root has another user.
 * @throws {Error} when the folder belongs to another user, is writable by others, or is not a folder.
 */
export async function privateFolder(name: string): Promise<string> {
  const uid = process.getuid?.() ?? -1;
  const folder = join(tmpdir(), `${name}-${uid}`);
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const found = await lstat(folder);
  if (!found.isDirectory() || (uid !== -1 && found.uid !== uid) || (found.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a private folder of this user: remove it, or point TMPDIR to another place`);
  }
  // Earlier versions created the folder without access for others.
  if ((found.mode & 0o011) !== 0o011) await chmod(folder, 0o711);
  return folder;
}
