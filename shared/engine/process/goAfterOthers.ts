import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lets other processes of the machine go before a process, and before what it starts later. Linux may compare nice values only within a
 * session, and share the processors equally between sessions (sched(7), "The autogroup feature"): then the session of a process that leads
 * one becomes as nice. A session that belongs to another process, as that of a terminal does, stays as it is.
 * @param nice 1 to 19
 */
export function goAfterOthers(nice: number, pid = process.pid): void {
  setPriority(pid, nice);
  try {
    if (sessionOf(pid) === pid) writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // The system does not group by sessions, or does not let this process say so: its nice value alone counts.
  }
}

/** Returns the process that leads the session: the fourth field after the name, in parentheses (proc(5), /proc/pid/stat). */
function sessionOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}
