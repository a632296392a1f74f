import { setTimeout as sleep } from 'node:timers/promises';
import { runEntry } from './process';

const FIRST_WITHIN_MS = 2_000;
const AGAIN_AFTER_MS = 2_000;

/**
 * Runs a check of a process that starts. `attempt` returns whether it has a result, and throws when the process must not run. Without a
 * result within two seconds the process starts, and the check is repeated until it has one. An error then ends the process.
 * @throws the error of `attempt`, within two seconds.
 */
export async function guardStart(attempt: () => Promise<boolean>): Promise<void> {
  if (await Promise.race([attempt(), sleep(FIRST_WITHIN_MS, false, { ref: false })])) return;
  runEntry(async () => {
    while (!(await attempt())) await sleep(AGAIN_AFTER_MS, undefined, { ref: false });
  });
}
