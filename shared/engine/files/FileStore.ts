import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { groupBy } from '../records';

/**
 * Stores PDFs, logos and receipts. Keys are relative paths of `[a-z0-9._-]` segments, such as `pdf/1/ab12….pdf`. The API and all
 * workers use the same store. All methods throw `ServiceUnavailable` for an unreachable store.
 */
export interface FileStore {
  /** A description of the folder or bucket, for messages. */
  readonly place: string;
  /** What a call takes that no meter sees, in measured milliseconds. */
  readonly callMs: number;
  /** Creates the folder if it is missing. Called by the first process of an installation. A bucket must exist already. */
  create(): Promise<void>;
  /**
   * Stores a file atomically (a reader never sees half a file), replacing an existing one. It survives a power failure; one that `mayBeLost`
   * is then whole, or gone.
   */
  put(key: string, bytes: Buffer, mayBeLost?: boolean): Promise<void>;
  /** Stores a copy of a local file as {@link put} does, without holding all of it in memory. */
  putFile(key: string, path: string): Promise<void>;
  /** Tests whether there is a file. */
  has(key: string): Promise<boolean>;
  /** Returns the bytes, or null for an unknown key. */
  get(key: string): Promise<Buffer | null>;
  /**
   * Opens a file at an offset. A negative offset counts from the end, as in `slice`. Returns null for an unknown key. The caller must read
   * a stream to its end or destroy it. Of a large file nothing is read before the offset, nor before the stream is read.
   */
  open(key: string, first?: number): Promise<OpenFile | null>;
  /** Records that the file is in use, so that {@link removeUnused} keeps it. Cheap enough for every read. */
  touch(key: string, now: Date): Promise<void>;
  /** Removes the file, if there is one. */
  remove(key: string): Promise<void>;
  /**
   * Removes the files under a prefix that were last used (read or written) before a time, and in each folder beyond `folderBytes` those
   * that were not used for longest. Returns how many.
   */
  removeUnused(prefix: string, before: Date, folderBytes?: number): Promise<number>;
  /** Lists the keys of all files, in no particular order. A file that is stored or removed meanwhile may be listed or not. */
  keys(): AsyncIterable<string>;
}

export interface OpenFile {
  /** A stream holds parts of the file. Only a file of at most {@link SMALL_FILE_BYTES} may be held whole. */
  readonly content: Buffer | Readable;
  /** Bytes of the whole file. */
  readonly size: number;
  /** The offset of the content's first byte. 0 if the file is held whole; never after the offset that it was opened at. */
  readonly first: number;
}

/** A file of a folder, for {@link unusedFiles}. */
export interface FoundFile {
  /** Its path or key in the store. */
  readonly name: string;
  readonly size: number;
  /** When it was last used. */
  readonly usedAt: Date;
}

const PART_MS = 60_000;

/**
 * Returns the files of one folder that {@link FileStore.removeUnused} removes. Sorts those of a minute at a time, and lets other work run
 * in between: sorting a hundred thousand takes a quarter of a second.
 */
export async function unusedFiles(
  files: readonly FoundFile[],
  before: Date,
  folderBytes = Infinity,
): Promise<FoundFile[]> {
  const parts = groupBy(files, ({ usedAt }) => Math.floor(usedAt.getTime() / PART_MS));
  const unused: FoundFile[] = [];
  let bytes = 0;
  // The last used first.
  for (const [, part] of [...parts].sort(([one], [other]) => other - one)) {
    await setImmediate();
    for (const file of part.sort((one, other) => other.usedAt.getTime() - one.usedAt.getTime())) {
      if ((bytes += file.size) > folderBytes || file.usedAt < before) unused.push(file);
    }
  }
  return unused;
}

const KEY = /^[a-z0-9_-][a-z0-9._-]*(\/[a-z0-9_-][a-z0-9._-]*)*$/;

/** One read of a small file costs far less than a stream. */
export const SMALL_FILE_BYTES = 64 * 1024;

/** The age of a file's time from which a read refreshes it, so that eviction by age keeps files in use. */
export const TOUCH_AFTER_MS = 24 * 3_600_000;

/** The folder of unfinished copies, which are no files yet. */
export const UNFINISHED = 'tmp';

/** Tests for the key of a stored file: not an unfinished copy, and not a file that something else has put there. */
export function isFileKey(text: string): boolean {
  return KEY.test(text) && !text.startsWith(`${UNFINISHED}/`);
}

/** Returns a valid key unchanged; a valid key cannot lead out of the store. @throws {Error} for any other text, which is a bug. */
export function checkKey(key: string): string {
  if (!KEY.test(key)) throw new Error(`not a file key: ${key}`);
  return key;
}
