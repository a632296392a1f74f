// When its stdin closes, because its parent has exited or was killed, it ends the watched processes, the last first,
// removes the folders, and exits. It reads one JSON object a line: {watch|forget: pid} or {remove: folder}.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const graceMs = 15_000;
const pids = new Set();
const folders = new Set();

/** Returns false for a zombie, which may never be reaped. */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self/stat') || !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (['ESRCH', 'ENOENT'].includes(error.code)) return false;
    throw error;
  }
}

async function end(pid) {
  if (isRunning(pid)) process.kill(pid, 'SIGTERM');
  for (const deadline = Date.now() + graceMs; Date.now() < deadline; await sleep(50)) if (!isRunning(pid)) return;
  process.kill(pid, 'SIGKILL');
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const { watch, forget, remove } = JSON.parse(line);
  if (watch) pids.add(watch);
  if (forget) pids.delete(forget);
  if (remove) folders.add(remove);
}
for (const pid of [...pids].reverse()) await end(pid);
for (const folder of folders) rmSync(folder, { recursive: true, force: true });
process.exit(0);
