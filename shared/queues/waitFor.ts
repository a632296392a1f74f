import type { Ending, JobEndings } from './JobEndings';

/** Missed hints (Redis went away after the job was queued) are made good by looking again this often. */
const LOOK_AGAIN_MS = 2_000;

/**
 * Waits until `look` answers something, looking once after subscribing, whenever the job's ending is announced, and every
 * two seconds. Returns null after `timeoutMs`, or when the process stops. Errors of `look` are passed on.
 */
export async function waitFor<T>(
  endings: JobEndings,
  jobId: string,
  timeoutMs: number,
  look: (ending: Ending | null) => Promise<T | null>,
): Promise<T | null> {
  const deadline = Date.now() + timeoutMs;
  let wake: () => void = () => undefined;
  let ending = null as Ending | null;
  const unsubscribe = endings.subscribe(jobId, (announced) => {
    ending = announced;
    wake();
  });
  try {
    for (;;) {
      const seen: Ending | null = ending;
      const found = await look(seen);
      if (found !== null) return found;
      const left = deadline - Date.now();
      if (left <= 0 || endings.isClosing) return null;
      // An ending that was announced while we looked is looked at before sleeping.
      if (ending === seen) await sleepUntilWoken(Math.min(left, LOOK_AGAIN_MS), (wakeUp) => (wake = wakeUp));
    }
  } finally {
    unsubscribe();
  }
}

function sleepUntilWoken(ms: number, register: (wakeUp: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    register(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
