import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns the start time of a process as the system shows it, which differs when a pid is reused. Undefined when no
 * such process runs; a zombie does not run.
 */
export function identityOf(pid: number): string | undefined {
  return existsSync('/proc/self/stat') ? identityFromProc(pid) : identityFromPs(pid);
}

function identityFromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  // The second field is the program's name in brackets and may hold anything; what follows is the state and then
  // numbers.
  const [state, ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : numbers[18];
}

function identityFromPs(pid: number): string | undefined {
  try {
    const shown = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return shown === '' || shown.startsWith('Z') ? undefined : shown.replace(/^\S+\s+/, '');
  } catch (error) {
    if (typeof (error as { status?: unknown }).status === 'number') return undefined;
    throw error;
  }
}

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
