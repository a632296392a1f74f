import { readdirSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { uploadFolders } from '../../api/http/routing/abandonedUploads';
import { StoredFile } from './models';
import { installation } from './installation';

/** Keys of all files that the store's folder has, but for its marker. */
export async function storedKeys(): Promise<string[]> {
  const { FILES_DIR = '' } = await installation();
  const entries = readdirSync(FILES_DIR, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'store-id');
  return files.map((entry) => join(entry.parentPath, entry.name).slice(FILES_DIR.length + 1)).sort();
}

/** What there is of uploads: rows, files in the store, temporary files. */
export async function traces(): Promise<{ rows: number; files: string[]; temporary: string[] }> {
  return {
    rows: await StoredFile.count(),
    files: await storedKeys(),
    temporary: readdirSync(dirname(uploadFolders())).filter((name) => name.startsWith(basename(uploadFolders()))),
  };
}

/** Paths of this process's open files under a folder. */
export function openFilesUnder(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });
}
