import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { endProcess } from './endProcess';
import { identityOf } from './processIdentity';

/** Writes the pid and the identity of a process to a file, for {@link livingProcess}. */
export function writePidFile(path: string, pid: number): void {
  writeFileSync(path, `${pid} ${identityOf(pid) ?? ''}\n`, { mode: 0o600 });
}

export function removePidFile(path: string): void {
  rmSync(path, { force: true });
}

/**
 * Returns the pid in the file if its process still runs; undefined without a file, after its end, or if the pid was
 * reused.
 */
export function livingProcess(path: string): number | undefined {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const [pid = '', ...identity] = content.trim().split(' ');
  const now = identityOf(Number(pid));
  return now !== undefined && now === identity.join(' ') ? Number(pid) : undefined;
}

/** Ends the process that a killed launcher has left running, if there is one. */
export async function endLeftover(path: string, log: (line: string) => void): Promise<void> {
  const pid = livingProcess(path);
  if (pid !== undefined) {
    log(`ending process ${pid}, left behind by an earlier start`);
    await endProcess(pid);
  }
  removePidFile(path);
}
