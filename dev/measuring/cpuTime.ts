import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in ticks of this length (`USER_HZ`). */
const msPerTick = 10;

/**
 * Returns the CPU time in milliseconds that these processes and their descendants have used so far, those that have
 * ended included. NaN on systems without `/proc`.
 */
export function cpuTimeOf(pids: readonly number[]): number {
  const stats = statsOfAll();
  const counted = new Set(pids);
  const belongs = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined; at = stats.get(at)?.parent)
      if (counted.has(at)) return true;
    return false;
  };
  let ticks = stats.size === 0 ? NaN : 0;
  for (const [pid, stat] of stats) if (belongs(pid)) ticks += stat.ticks;
  return ticks * msPerTick;
}

/** The parent and the time of every process, from proc(5). */
function statsOfAll(): Map<number, { parent: number; ticks: number }> {
  const stats = new Map<number, { parent: number; ticks: number }>();
  for (const name of entriesOf('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const text = textOf(`/proc/${name}/stat`);
    // The name of the program, in parentheses, may contain spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + field, 0);
    if (text !== '') stats.set(Number(name), { parent, ticks });
  }
  return stats;
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not Linux.
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}
