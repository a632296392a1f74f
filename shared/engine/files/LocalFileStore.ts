import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs';
import { chmod, copyFile, mkdir, open, opendir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { ServiceUnavailable } from '../errors';
import {
  checkKey,
  isFileKey,
  SMALL_FILE_BYTES,
  TOUCH_AFTER_MS,
  UNFINISHED,
  unusedFiles,
  type FileStore,
  type FoundFile,
  type OpenFile,
} from './FileStore';
import { LocalFileStream } from './LocalFileStream';
import { isSystemError } from './systemErrors';

/** Other users of the machine must not read receipts. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * A folder that the API and the workers share: on a local disk, or on a network volume between machines. An error of the
 * operating system (a full or read-only disk, a missing folder) is a {@link ServiceUnavailable}; the log has its code.
 */
export class LocalFileStore implements FileStore {
  /** It took 0.03 ms of a processor. */
  readonly callMs = 0;

  constructor(private readonly root: string) {}

  get place(): string {
    return `the folder ${this.root}`;
  }

  async create(): Promise<void> {
    await available(mkdir(this.root, { recursive: true, mode: FOLDER_MODE }));
  }

  put(key: string, bytes: Buffer, mayBeLost = false): Promise<void> {
    const write = (temporary: string): Promise<void> => writeFile(temporary, bytes, { mode: FILE_MODE });
    return available(this.replace(key, write, mayBeLost));
  }

  async putFile(key: string, path: string): Promise<void> {
    checkKey(key);
    // A missing source file is a bug of the caller, not an unavailable store.
    await stat(path);
    const copy = async (temporary: string): Promise<void> => {
      await copyFile(path, temporary);
      // It has the mode of its source.
      await chmod(temporary, FILE_MODE);
    };
    await available(this.replace(key, copy));
  }

  async has(key: string): Promise<boolean> {
    return (await available(nullIf('ENOENT', stat(this.pathOf(key))))) !== null;
  }

  async get(key: string): Promise<Buffer | null> {
    return available(nullIf('ENOENT', readWhole(this.pathOf(key))));
  }

  async open(key: string, first = 0): Promise<OpenFile | null> {
    const path = this.pathOf(key);
    const found = await available(nullIf('ENOENT', stat(path)));
    if (found === null || found.size > SMALL_FILE_BYTES)
      return found && available(nullIf('ENOENT', openStream(path, first)));
    const content = await this.get(key);
    return content && { content, size: content.length, first: 0 };
  }

  async remove(key: string): Promise<void> {
    await available(rm(this.pathOf(key), { force: true }));
  }

  async touch(key: string, now: Date): Promise<void> {
    const path = this.pathOf(key);
    const { mtimeMs } = await available(stat(path));
    if (now.getTime() - mtimeMs > TOUCH_AFTER_MS) await available(utimes(path, now, now));
  }

  async removeUnused(prefix: string, before: Date, folderBytes?: number): Promise<number> {
    const failures: unknown[] = [];
    const removed = await available(this.removeUnder(this.pathOf(prefix), failures, before, folderBytes));
    if (failures.length > 0) await available(Promise.reject(failures[0] as Error));
    return removed;
  }

  /** Holds the names of one folder at a time. */
  async *keys(folder = ''): AsyncGenerator<string> {
    const entries = await available(nullIf('ENOENT', readdir(join(this.root, folder), { withFileTypes: true })));
    for (const named of entries ?? []) {
      const key = folder + named.name;
      // An operator may have moved a folder to another disk.
      const entry = named.isSymbolicLink() ? await available(stat(join(this.root, key))) : named;
      if (entry.isDirectory()) yield* this.keys(`${key}/`);
      else if (entry.isFile() && isFileKey(key)) yield key;
    }
  }

  /** Holds the files of one folder at a time. The others are removed also when one cannot be. */
  private async removeUnder(folder: string, failures: unknown[], before: Date, folderBytes?: number): Promise<number> {
    const entries = await nullIf('ENOENT', opendir(folder));
    const files: FoundFile[] = [];
    let removed = 0;
    for await (const entry of entries ?? []) {
      const name = join(folder, entry.name);
      // Another worker may be removing the same files.
      const found = entry.isFile() ? await nullIf('ENOENT', stat(name)) : null;
      if (found !== null) files.push({ name, size: found.size, usedAt: found.mtime });
      if (entry.isDirectory()) removed += await this.removeUnder(name, failures, before, folderBytes);
    }
    for (const { name } of await unusedFiles(files, before, folderBytes)) {
      try {
        await rm(name, { force: true });
        removed++;
      } catch (error) {
        failures.push(error);
      }
    }
    return removed;
  }

  /**
   * Writes to a temporary file and renames it, flushed to disk before and after: a power failure must neither leave an empty file nor lose
   * one. Temporary files have their own folder, where the clean-up removes leftovers of a crash.
   */
  private async replace(key: string, write: (temporary: string) => Promise<void>, mayBeLost = false): Promise<void> {
    const path = this.pathOf(key);
    const temporary = this.pathOf(`${UNFINISHED}/${randomUUID()}`);
    await Promise.all([this.makeFolders(dirname(path)), this.makeFolders(dirname(temporary))]);
    try {
      await write(temporary);
      await flush(temporary);
      await rename(temporary, path);
      // A flush makes those of the database, which has the same disk, wait.
      if (!mayBeLost) await flush(dirname(path));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** Creates folders inside the root, never the root itself: a missing root means that a volume is not mounted. */
  private async makeFolders(folder: string): Promise<void> {
    let path = this.root;
    for (const name of relative(this.root, folder).split(sep).filter(Boolean)) {
      path = join(path, name);
      const made = mkdir(path, { mode: FOLDER_MODE }).then(() => flush(dirname(path)));
      await nullIf('EEXIST', made);
    }
  }

  private pathOf(key: string): string {
    return join(this.root, checkKey(key));
  }
}

/** Reads a file by callback: `readFile` of `node:fs/promises` takes three times the CPU time. */
function readWhole(path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    readFile(path, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
}

async function openStream(path: string, from: number): Promise<OpenFile> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const first = from < 0 ? Math.max(size + from, 0) : Math.min(from, size);
    return { content: new LocalFileStream(file, first), size, first };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function available<T>(done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (error) {
    throw isSystemError(error) ? new ServiceUnavailable('the file store', error) : error;
  }
}

/** Flushes a file, or the names in a folder, to disk. Some network volumes flush no folder. */
async function flush(path: string): Promise<void> {
  const file = await open(path);
  try {
    await nullIf('EINVAL', file.sync());
  } finally {
    await file.close();
  }
}

/** Returns null where the operating system has refused with this code. */
async function nullIf<T>(code: 'EEXIST' | 'EINVAL' | 'ENOENT', done: Promise<T>): Promise<T | null> {
  try {
    return await done;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return null;
    throw error;
  }
}
