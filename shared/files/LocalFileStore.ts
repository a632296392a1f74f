import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileStore } from './FileStore';

const KEY = /^[a-z0-9_-][a-z0-9._-]*(\/[a-z0-9_-][a-z0-9._-]*)*$/;

/** How often a read refreshes a file's time, so that eviction by age spares what is in use. */
const TOUCH_AFTER_MS = 24 * 3_600_000;

/** A folder that the API and the workers share: a local disk, or a network volume between machines. */
export class LocalFileStore implements FileStore {
  constructor(private readonly root: string) {}

  async put(key: string, bytes: Buffer): Promise<void> {
    const path = this.pathOf(key);
    const temporary = `${path}.${randomUUID()}.tmp`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, bytes);
    await rename(temporary, path);
  }

  async get(key: string): Promise<Buffer | null> {
    const path = this.pathOf(key);
    try {
      return await readFile(path);
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async remove(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  async touch(key: string, now: Date): Promise<void> {
    const path = this.pathOf(key);
    const { mtimeMs } = await stat(path);
    if (now.getTime() - mtimeMs > TOUCH_AFTER_MS) await utimes(path, now, now);
  }

  async removeUnused(prefix: string, before: Date): Promise<number> {
    const folder = this.pathOf(prefix);
    let removed = 0;
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(emptyIfAbsent)) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && (await stat(path)).mtime < before) {
        await rm(path, { force: true });
        removed++;
      }
    }
    return removed;
  }

  /** Keys are checked, so that none leads out of the folder. */
  private pathOf(key: string): string {
    if (!KEY.test(key)) throw new Error(`not a file key: ${key}`);
    return join(this.root, key);
  }
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function emptyIfAbsent(error: unknown): never[] {
  if (isAbsent(error)) return [];
  throw error;
}
