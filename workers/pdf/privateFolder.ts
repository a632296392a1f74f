import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * A folder under the system's temporary one that belongs to this user alone, made where it is missing. What lies in it is
 * run as a program, so one that somebody else prepared is refused.
 * @throws {Error} when the folder is another user's, open to others, or not a folder.
 */
export async function privateFolder(name: string): Promise<string> {
  const { uid } = userInfo();
  const folder = join(tmpdir(), `${name}-${uid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory() || (uid !== -1 && found.uid !== uid) || (found.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a private folder of this user: remove it, or point TMPDIR to another place`);
  }
  return folder;
}
