import type { Readable } from 'node:stream';

/**
 * Where PDFs, logos and receipts are kept. Keys are relative paths of `[a-z0-9._-]` segments, such as `pdf/1/ab12….pdf`;
 * the API and every worker see the same store. A store that cannot be reached is a `ServiceUnavailable`.
 */
export interface FileStore {
  /** Which folder or bucket this is, for people. */
  readonly place: string;
  /** Makes the store where there is none yet: an installation's first process does. A bucket has to exist. */
  create(): Promise<void>;
  /** Stores the bytes whole or not at all (a reader never sees half a file); an existing file is replaced. */
  put(key: string, bytes: Buffer): Promise<void>;
  /** As {@link put}, from a file on this machine, which stays; never holds it in memory whole. */
  putFile(key: string, path: string): Promise<void>;
  /** The bytes, or null where there is no such file. */
  get(key: string): Promise<Buffer | null>;
  /** The file, or null where there is none. Whoever opens it reads a stream to its end or destroys it. */
  open(key: string): Promise<OpenFile | null>;
  /** Says that the file is in use, so that {@link removeUnused} spares it; cheap to call on every read. */
  touch(key: string, now: Date): Promise<void>;
  /** Removes the file; no error where there is none. */
  remove(key: string): Promise<void>;
  /** Removes the files under a prefix that were last used (read or written) before a time; answers how many. */
  removeUnused(prefix: string, before: Date): Promise<number>;
}

export interface OpenFile {
  /** A stream holds parts of the file. Only a file of at most {@link SMALL_FILE_BYTES} may be held whole. */
  readonly content: Buffer | Readable;
  /** Bytes. */
  readonly size: number;
}

const KEY = /^[a-z0-9_-][a-z0-9._-]*(\/[a-z0-9_-][a-z0-9._-]*)*$/;

/** One read of a small file costs far less than a stream. */
export const SMALL_FILE_BYTES = 64 * 1024;

/** How often a read refreshes a file's time, so that eviction by age spares what is in use. */
export const TOUCH_AFTER_MS = 24 * 3_600_000;

/** Keys are checked, so that none leads out of the store. @throws {Error} for a text that is no key: a fault of ours. */
export function checkKey(key: string): string {
  if (!KEY.test(key)) throw new Error(`not a file key: ${key}`);
  return key;
}
