import { mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoredFile } from '../../shared/database/models';
import type { Services } from '../../shared/services';
import { installation } from './installation';

/** The temporary folder of this test file's process: what uploads leave is seen there. */
export const temporary = mkdtempSync(join(tmpdir(), 'invoicing-receipts-'));
process.env['TMPDIR'] = temporary;

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
    temporary: readdirSync(temporary, { recursive: true }).map(String),
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

/** Peak resident memory of this process (bytes). */
export function peakMemory(): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** The same services with another file store. */
export const withFiles = (services: Services, files: Services['files']): Services => ({ ...services, files });
