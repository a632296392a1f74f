import type { FileStore } from './FileStore';
import type { StoreCheck } from './StoreCheck';

/**
 * Returns the installation's file store, with a check of its identity on every write and every missing file. A volume that is unmounted
 * while the service runs leaves an empty folder: no file must be written there, and stored files must not look deleted. All
 * methods throw `ServiceUnavailable` while the store is a different one or unreachable.
 */
export function guardedStore(store: FileStore, check: StoreCheck): FileStore {
  const checked = async <T>(use: () => Promise<T>): Promise<T> => {
    await check.ensure();
    return use();
  };
  const written = async (put: () => Promise<void>): Promise<void> => {
    await checked(put);
    // The volume may have been unmounted during the write.
    await check.ensure();
  };
  const found = async <T>(reading: Promise<T | null>): Promise<T | null> => {
    const file = await reading;
    if (file === null) await check.ensure();
    return file;
  };
  return {
    place: store.place,
    callMs: store.callMs,
    create: () => store.create(),
    put: (key, bytes, mayBeLost) => written(() => store.put(key, bytes, mayBeLost)),
    putFile: (key, path) => written(() => store.putFile(key, path)),
    has: async (key) => (await found(store.has(key).then((is) => is || null))) === true,
    get: (key) => found(store.get(key)),
    open: (key, first) => found(store.open(key, first)),
    touch: (key, now) => store.touch(key, now),
    remove: (key) => checked(() => store.remove(key)),
    removeUnused: (prefix, before, folderBytes) => checked(() => store.removeUnused(prefix, before, folderBytes)),
    async *keys() {
      await check.ensure();
      yield* store.keys();
    },
  };
}
