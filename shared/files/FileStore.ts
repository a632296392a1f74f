/**
 * Where PDFs, logos and receipts are kept. Keys are relative paths of `[a-z0-9._-]` segments, such as `pdf/1/ab12….pdf`;
 * the API and every worker see the same store.
 */
export interface FileStore {
  /** Stores the bytes whole or not at all (a reader never sees half a file); an existing file is replaced. */
  put(key: string, bytes: Buffer): Promise<void>;
  /** The bytes, or null where there is no such file. */
  get(key: string): Promise<Buffer | null>;
  /** Says that the file is in use, so that {@link removeUnused} spares it; cheap to call on every read. */
  touch(key: string, now: Date): Promise<void>;
  /** Removes the file; no error where there is none. */
  remove(key: string): Promise<void>;
  /** Removes the files under a prefix that were last used (read or written) before a time; answers how many. */
  removeUnused(prefix: string, before: Date): Promise<number>;
}
