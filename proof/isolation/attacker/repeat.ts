import { setTimeout as sleep } from 'node:timers/promises';
import type { Attacker } from '../Attack';

/**
 * Repeats `once` until the signal is aborted, `connections` at the same time. A failed connection is counted and retried after a
 * short delay.
 */
export async function repeat(
  attacker: Attacker,
  connections: number,
  signal: AbortSignal,
  once: (turn: number) => Promise<unknown>,
): Promise<void> {
  let turn = 0;
  const one = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await once(turn++);
      } catch (error) {
        if (signal.aborted) return;
        attacker.count((error as NodeJS.ErrnoException).code ?? (error as Error).name);
        await sleep(20);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/** Resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
