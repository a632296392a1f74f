import { setTimeout as sleep } from 'node:timers/promises';

/** For what never comes true; a busy machine may take ten times as long as a quiet one. */
const longestMs = 120_000;
/** After this long, `look` is called less often: each call may be a request or a query, and other test files run beside. */
const soonMs = 1_000;

/** Returns what `look` returns once it is neither null, undefined nor false. For conditions that no event reports. */
export async function eventually<T>(look: () => Promise<T> | T): Promise<Exclude<NonNullable<T>, false>> {
  for (const from = Date.now(); ; await sleep(Date.now() - from < soonMs ? 15 : 50)) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found as Exclude<NonNullable<T>, false>;
    if (Date.now() - from > longestMs) throw new Error(`it did not come true: ${look.toString()}`);
  }
}
