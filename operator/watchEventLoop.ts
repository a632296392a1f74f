import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const WINDOW_MS = 10_000;

/** Measures for how long the event loop of this process is blocked. */
export interface EventLoopWatch {
  /** Returns the longest time in seconds, of the last 10 to 20 seconds. */
  longestSeconds(): number;
  stop(): void;
}

/** Starts to measure. */
export function watchEventLoop(): EventLoopWatch {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let before = 0;
  // The delays include the time between two samples.
  const longest = (): number => Math.max(0, delays.max / 1e9 - RESOLUTION_MS / 1e3);
  const nextWindow = setInterval(() => {
    before = longest();
    delays.reset();
  }, WINDOW_MS).unref();
  return {
    longestSeconds: () => Math.max(before, longest()),
    stop: () => {
      clearInterval(nextWindow);
      delays.disable();
    },
  };
}
