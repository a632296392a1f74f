import { appendFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

// Preloaded with `--require`: appends the longest delay of this process's event loop to a file, four times a second, as
// `<Unix time in ms> <delay in ms>`. (The histogram of `perf_hooks` leaves out the first delay after each reset.)
const file = process.env['PROOF_LAG_FILE'] ?? 'lag.log';
const STEP_MS = 10;
const RECORD_MS = 250;
let last = performance.now();
let longestMs = 0;
setInterval(() => {
  const now = performance.now();
  longestMs = Math.max(longestMs, now - last - STEP_MS);
  last = now;
}, STEP_MS).unref();
setInterval(() => {
  appendFileSync(file, `${Date.now()} ${longestMs.toFixed(1)}\n`);
  longestMs = 0;
}, RECORD_MS).unref();
