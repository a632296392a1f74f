import { chmod, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder under the system's temporary one in which only this user can write, made where it is missing. Other users may run
 * what is in it: the browser of a worker that is root is one. A folder that another user prepared is refused.
 * @throws {Error} when the folder is another user's, writable for others, or not a folder.
 */
export async function privateFolder(name: string): Promise<string> {
  const uid = process.getuid?.() ?? -1;
  const folder = join(tmpdir(), `${name}-${uid}`);
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const found = await lstat(folder);
  if (!found.isDirectory() || (uid !== -1 && found.uid !== uid) || (found.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a private folder of this user: remove it, or point TMPDIR to another place`);
  }
  // Made by an earlier version, it was closed to others.
  if ((found.mode & 0o011) !== 0o011) await chmod(folder, 0o711);
  return folder;
}
