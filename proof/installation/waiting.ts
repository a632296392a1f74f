import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds, at most for `withinMs`. Returns whether it does. */
export async function waitUntil(condition: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  let holds = await condition();
  while (!holds && Date.now() < deadline) {
    await sleep(200);
    holds = await condition();
  }
  return holds;
}

/** The limit of a set-up step or a failover. */
const limitMs = 30_000;

/** Waits until `holds` resolves with something true. @throws {Error} after half a minute. */
export async function untilTrue(what: string, holds: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + limitMs;
  // A rejection counts as false: servers may be starting.
  while (!(await holds().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`after ${limitMs / 1000} s this is not true: ${what}`);
    await sleep(50);
  }
}
