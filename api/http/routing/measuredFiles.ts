import type { WorkMeter } from '../../../shared/engine/fair';
import type { FileStore } from '../../../shared/engine/files';

/** Returns the file store with calls that the meter counts, also those that the work makes while it has given its slot up. */
export function measuredFiles(files: FileStore, meter: WorkMeter): FileStore {
  const counted = (): FileStore => {
    meter.add(files.callMs);
    return files;
  };
  return Object.assign(Object.create(files) as FileStore, {
    has: (key) => counted().has(key),
    get: (key) => counted().get(key),
    open: (key, first) => counted().open(key, first),
    put: (key, bytes) => counted().put(key, bytes),
    putFile: (key, path) => counted().putFile(key, path),
  } satisfies Partial<FileStore>);
}
