// Outlives the process that started it by a moment: when its stdin closes (the other end exited or was killed), it ends what
// was left in its care, the last first, and goes. It reads one JSON object a line: {watch|forget: pid} or {remove: folder}.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const graceMs = 15_000;
const pids = new Set();
const folders = new Set();

function signal(pid, name) {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

async function end(pid) {
  signal(pid, 'SIGTERM');
  for (const deadline = Date.now() + graceMs; Date.now() < deadline; await sleep(50)) if (!signal(pid, 0)) return;
  signal(pid, 'SIGKILL');
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
