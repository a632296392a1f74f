import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Preloaded with `--require`: appends the longest delay of this process's event loop to a file, four times a second, as
// `<Unix time in ms> <delay in ms>`.
const file = process.env['PROOF_LAG_FILE'] ?? 'lag.log';
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
setInterval(() => {
  // The histogram counts the timer's own 10 ms.
  const longestMs = Math.max(0, delay.max / 1e6 - 10);
  delay.reset();
  appendFileSync(file, `${Date.now()} ${longestMs.toFixed(1)}\n`);
}, 250).unref();
