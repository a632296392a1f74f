import { Overloaded, RequestAborted } from '../../../shared/engine/errors';
import type { FairSlots, Turn } from '../../../shared/engine/fair';
import type { FileStore } from '../../../shared/engine/files';

/**
 * Returns the file store with calls that the meter counts, and during which the work has given its slot up: a slow store holds up only
 * requests for files. A call has one of the store's slots until the work is back in its own, so that few files are held at the same time.
 */
export function measuredFiles(files: FileStore, turn: Turn, slots: FairSlots, companyId: number): FileStore {
  const counted = async <T>(call: () => Promise<T>): Promise<T> => {
    let leave = (): void => undefined;
    try {
      return await turn.aside(async (left) => {
        const entered = await slots.enter(companyId);
        if (entered === null) throw new Overloaded('files of this company');
        leave = entered;
        if (left.aborted) throw new RequestAborted();
        turn.meter.add(files.callMs);
        return call();
      });
    } finally {
      leave();
    }
  };
  return Object.assign(Object.create(files) as FileStore, {
    has: (key) => counted(() => files.has(key)),
    get: (key) => counted(() => files.get(key)),
    open: (key, first) => counted(() => files.open(key, first)),
    put: (key, bytes) => counted(() => files.put(key, bytes)),
    putFile: (key, path) => counted(() => files.putFile(key, path)),
  } satisfies Partial<FileStore>);
}
