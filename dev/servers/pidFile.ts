import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { endProcess } from './endProcess';
import { identityOf } from './processIdentity';

/** Notes in `path` which process belongs to a folder, so that a later start can find exactly that one again. */
export function writePidFile(path: string, pid: number): void {
  writeFileSync(path, `${pid} ${identityOf(pid) ?? ''}\n`, { mode: 0o600 });
}

export function removePidFile(path: string): void {
  rmSync(path, { force: true });
}

/** The pid noted in `path` when that very process still runs, else undefined (no file, ended, or the pid was reused). */
export function livingProcess(path: string): number | undefined {
  let noted: string;
  try {
    noted = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const [pid = '', ...identity] = noted.trim().split(' ');
  const now = identityOf(Number(pid));
  return now !== undefined && now === identity.join(' ') ? Number(pid) : undefined;
}

/** Ends the process that an earlier, killed launcher left behind for this folder, if there is one. */
export async function endLeftover(path: string, log: (line: string) => void): Promise<void> {
  const pid = livingProcess(path);
  if (pid !== undefined) {
    log(`ending process ${pid}, left behind by an earlier start`);
    await endProcess(pid);
  }
  removePidFile(path);
}
