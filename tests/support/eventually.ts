import { setTimeout as sleep } from 'node:timers/promises';

const longestMs = 25_000;

/** What `look` answers once it is neither null, undefined nor false; for what no event tells. */
export async function eventually<T>(look: () => Promise<T> | T): Promise<Exclude<NonNullable<T>, false>> {
  for (const deadline = Date.now() + longestMs; ; await sleep(15)) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found as Exclude<NonNullable<T>, false>;
    if (Date.now() > deadline) throw new Error(`it did not come true: ${look.toString()}`);
  }
}
