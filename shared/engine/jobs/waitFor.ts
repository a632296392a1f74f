import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending, JobEndHints } from './JobEndHints';

/** How often to read again: hints are lost while Redis is unreachable. */
export const READ_AGAIN_MS = 2_000;

/** The longest time between two reads. */
const LONGEST_MS = 8_000;

/**
 * Waits until `read` returns a result. Calls it after subscribing, when the job's end is announced, and after two, six, fourteen seconds and so
 * on. Returns null after `timeoutMs`, when the process stops, or when `leave` is aborted.
 * @throws the errors of `read`.
 */
export async function waitFor<T>(
  hints: JobEndHints,
  jobId: string,
  timeoutMs: number,
  leave: AbortSignal,
  read: (ending: Ending | null) => Promise<T | null>,
): Promise<T | null> {
  const deadline = Date.now() + timeoutMs;
  let sleeping = new AbortController();
  let ending = null as Ending | null;
  let againMs = READ_AGAIN_MS;
  const unsubscribe = hints.subscribe(jobId, (announced) => {
    ending = announced;
    sleeping.abort();
  });
  leave.addEventListener('abort', () => sleeping.abort());
  try {
    for (;;) {
      if (leave.aborted) return null;
      const seen: Ending | null = ending;
      const found = await read(seen);
      if (found !== null) return found;
      const left = deadline - Date.now();
      if (left <= 0 || hints.isClosing) return null;
      // The end was announced, or the caller has left, during the read.
      if (ending !== seen || leave.aborted) continue;
      sleeping = new AbortController();
      // It rejects when the end is announced, or the caller leaves.
      await sleep(Math.min(left, againMs), undefined, { signal: sleeping.signal }).catch(() => undefined);
      againMs = Math.min(2 * againMs, LONGEST_MS);
    }
  } finally {
    unsubscribe();
  }
}
