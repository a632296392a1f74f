import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns the result of `work`.
 * @param problem the message of the error where it takes longer than `ms`, without the time
 * @throws {Error} then; the errors of `work`.
 */
export async function within<T>(ms: number, work: Promise<T>, problem: string): Promise<T> {
  const done = new AbortController();
  const late = sleep(ms, undefined, { signal: done.signal, ref: false }).then(() => {
    throw new Error(`${problem} within ${ms} ms`);
  });
  return Promise.race([work, late]).finally(() => done.abort());
}
