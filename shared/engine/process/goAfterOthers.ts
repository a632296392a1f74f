import { readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lets other processes of the machine go before a process, and before what it starts later. Linux may compare nice values only within a
 * session, and share the processors equally between sessions (sched(7), "The autogroup feature"): then the session of a process that leads
 * one becomes as nice. A session that belongs to another process, as that of a terminal does, stays as it is, and so does a process that is
 * nicer. Never throws: without the rights to change a process, it keeps what it has.
 * @param nice 1 to 19
 */
export function goAfterOthers(nice: number, pid = process.pid): void {
  try {
    // To make a process less nice, or to change one of another user, needs a right that few containers have.
    const before = getPriority(pid);
    if (before < nice) setPriority(pid, nice);
    if (sessionOf(pid) === pid) writeFileSync(`/proc/${pid}/autogroup`, String(Math.max(before, nice)));
  } catch (error) {
    // Users other than root may change one session of the machine in 100 ms; the browsers of a worker start at the same time.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') setTimeout(() => goAfterOthers(nice, pid), 100 + 400 * Math.random()).unref();
    // Else the system does not group by sessions, or does not let this process change the other one.
  }
}

/** Returns the process that leads the session: the fourth field after the name, in parentheses (proc(5), /proc/pid/stat). */
function sessionOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}
