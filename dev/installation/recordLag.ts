import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Preloaded with `--require`: appends the longest delay of this process's event loop to a file, four times a second, as
// `<Unix time in ms> <delay in ms>`.
const file = process.env['PROOF_LAG_FILE'] ?? 'lag.log';
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
const EVERY_MS = 250;
let last = Date.now();
setInterval(() => {
  const now = Date.now();
  // The histogram counts the timer's own 10 ms. After a reset it leaves out one iteration of the event loop, which this timer's delay shows.
  const longestMs = Math.max(0, delay.max / 1e6 - 10, now - last - EVERY_MS);
  last = now;
  delay.reset();
  appendFileSync(file, `${now} ${longestMs.toFixed(1)}\n`);
}, EVERY_MS).unref();
