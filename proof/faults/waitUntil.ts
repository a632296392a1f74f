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
