import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpuTimeOf } from '../../../dev/measuring/cpuTime';

/** Uses 300 ms of CPU time. */
const busy = 'const end = process.cpuUsage().user + 300000; while (process.cpuUsage().user < end);';

test('the CPU time of a process › has that of its descendants, the living and the ended', async () => {
  const script = `node -e '${busy}'; node -e '${busy} console.log("done"); setInterval(() => {}, 1000)'`;
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  await once(child.stdout, 'data');
  // Two times 300 ms, of which each may lose a tick of 10 ms.
  expect(cpuTimeOf([child.pid ?? 0])).toBeGreaterThanOrEqual(580);
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await once(child, 'exit');
  expect(cpuTimeOf([child.pid ?? 0])).toBe(0);
});
