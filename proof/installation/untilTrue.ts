import { setTimeout as sleep } from 'node:timers/promises';

/** How long setting up, or a failover, may take. */
const givenUpAfterMs = 30_000;

/** Waits until `holds` resolves with something true. @throws {Error} after half a minute. */
export async function untilTrue(what: string, holds: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + givenUpAfterMs;
  // It fails while servers do not know each other, or are being started.
  while (!(await holds().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`after ${givenUpAfterMs / 1000} s it does not hold that ${what}`);
    await sleep(50);
  }
}
