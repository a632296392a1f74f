import type { FileStore, OpenFile } from './FileStore';
import type { StoreCheck } from './StoreCheck';

/**
 * The installation's file store, with a check of its identity on every write and every missing file. A volume that is unmounted
 * while the service runs leaves an empty folder: no file must be written there, and stored files must not look deleted. All
 * methods throw `ServiceUnavailable` while the store is a different one or unreachable.
 */
export class GuardedFileStore implements FileStore {
  constructor(
    private readonly store: FileStore,
    private readonly check: StoreCheck,
  ) {}

  get place(): string {
    return this.store.place;
  }

  create(): Promise<void> {
    return this.store.create();
  }

  put(key: string, bytes: Buffer): Promise<void> {
    return this.write(() => this.store.put(key, bytes));
  }

  putFile(key: string, path: string): Promise<void> {
    return this.write(() => this.store.putFile(key, path));
  }

  get(key: string): Promise<Buffer | null> {
    return this.found(this.store.get(key));
  }

  open(key: string, first?: number): Promise<OpenFile | null> {
    return this.found(this.store.open(key, first));
  }

  async touch(key: string, now: Date): Promise<void> {
    await this.store.touch(key, now);
  }

  async remove(key: string): Promise<void> {
    await this.check.ensure();
    await this.store.remove(key);
  }

  async removeUnused(prefix: string, before: Date, folderBytes?: number): Promise<number> {
    await this.check.ensure();
    return this.store.removeUnused(prefix, before, folderBytes);
  }

  async *keys(): AsyncGenerator<string> {
    await this.check.ensure();
    yield* this.store.keys();
  }

  /** The second check covers a volume that is unmounted during the write. */
  private async write(put: () => Promise<void>): Promise<void> {
    await this.check.ensure();
    await put();
    await this.check.ensure();
  }

  private async found<T>(reading: Promise<T | null>): Promise<T | null> {
    const file = await reading;
    if (file === null) await this.check.ensure();
    return file;
  }
}
