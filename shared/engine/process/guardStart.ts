import { setTimeout as sleep } from 'node:timers/promises';
import { runEntry } from './process';

const FIRST_WITHIN_MS = 2_000;
const AGAIN_AFTER_MS = 2_000;

/**
 * Runs a check of a process that starts. `attempt` returns whether it came to a result, and throws when the process must not
 * run. Without a result within two seconds the process starts all the same; the check is repeated until there is one, and what
 * it throws then ends the process.
 * @throws what `attempt` throws, when that is known in time.
 */
export async function guardStart(attempt: () => Promise<boolean>): Promise<void> {
  if (await Promise.race([attempt(), sleep(FIRST_WITHIN_MS, false, { ref: false })])) return;
  runEntry(async () => {
    while (!(await attempt())) await sleep(AGAIN_AFTER_MS, undefined, { ref: false });
  });
}
