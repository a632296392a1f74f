import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf } from './processIdentity';

/**
 * Sends SIGTERM to a process, and SIGKILL if it still runs after `graceMs`. Resolves when it has ended. It need not be
 * our child.
 */
export async function endProcess(pid: number, graceMs = 15_000): Promise<void> {
  const identity = identityOf(pid);
  const runs = () => identity !== undefined && identityOf(pid) === identity;
  const endsWithin = async (ms: number) => {
    const deadline = Date.now() + ms;
    while (runs() && Date.now() < deadline) await sleep(20);
    return !runs();
  };
  signal(pid, 'SIGTERM', runs());
  if (await endsWithin(graceMs)) return;
  signal(pid, 'SIGKILL', runs());
  if (!(await endsWithin(5_000))) throw new Error(`process ${pid} does not end, not even on SIGKILL`);
}

function signal(pid: number, name: NodeJS.Signals, runs: boolean): void {
  if (!runs) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    // It ended between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
