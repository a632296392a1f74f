import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkKey, TOUCH_AFTER_MS, type FileStore, type OpenFile } from './FileStore';

/** A folder that the API and the workers share: a local disk, or a network volume between machines. */
export class LocalFileStore implements FileStore {
  constructor(private readonly root: string) {}

  get place(): string {
    return `the folder ${this.root}`;
  }

  put(key: string, bytes: Buffer): Promise<void> {
    return this.replace(key, (temporary) => writeFile(temporary, bytes));
  }

  putFile(key: string, path: string): Promise<void> {
    return this.replace(key, async (temporary) => {
      await copyFile(path, temporary);
      await flush(temporary);
    });
  }

  async get(key: string): Promise<Buffer | null> {
    return nullIfAbsent(readFile(this.pathOf(key)));
  }

  async open(key: string): Promise<OpenFile | null> {
    const file = await nullIfAbsent(open(this.pathOf(key)));
    if (file === null) return null;
    try {
      const { size } = await file.stat();
      return { stream: file.createReadStream(), size };
    } catch (error) {
      await file.close();
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
    const entries = await nullIfAbsent(readdir(folder, { recursive: true, withFileTypes: true }));
    let removed = 0;
    for (const entry of entries ?? []) {
      const path = join(entry.parentPath, entry.name);
      // Another worker may be removing the same ones.
      const found = entry.isFile() ? await nullIfAbsent(stat(path)) : null;
      if (found !== null && found.mtime < before) {
        await rm(path, { force: true });
        removed++;
      }
    }
    return removed;
  }

  /** Temporary files have a folder of their own, where a clean-up finds what a crash left. */
  private async replace(key: string, write: (temporary: string) => Promise<void>): Promise<void> {
    const path = this.pathOf(key);
    const temporary = this.pathOf(`tmp/${randomUUID()}`);
    await Promise.all([mkdir(dirname(path), { recursive: true }), mkdir(dirname(temporary), { recursive: true })]);
    try {
      await write(temporary);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  private pathOf(key: string): string {
    return join(this.root, checkKey(key));
  }
}

/** What was answered as stored survives a power cut. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function nullIfAbsent<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
