import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf } from './processIdentity';

/**
 * Asks a process to end (SIGTERM), ends it by force (SIGKILL) when it still runs after `graceMs`, and resolves once it is
 * gone. Does nothing when it has ended already. Works on processes that are not our children.
 */
export async function endProcess(pid: number, graceMs = 15_000): Promise<void> {
  const identity = identityOf(pid);
  const runs = () => identity !== undefined && identityOf(pid) === identity;
  const goneWithin = async (ms: number) => {
    const deadline = Date.now() + ms;
    while (runs() && Date.now() < deadline) await sleep(20);
    return !runs();
  };
  signal(pid, 'SIGTERM', runs());
  if (await goneWithin(graceMs)) return;
  signal(pid, 'SIGKILL', runs());
  if (!(await goneWithin(5_000))) throw new Error(`process ${pid} does not end, not even on SIGKILL`);
}

function signal(pid: number, name: NodeJS.Signals, runs: boolean): void {
  if (!runs) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    // It ended between the look and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
