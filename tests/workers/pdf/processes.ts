import { readdirSync, readFileSync } from 'node:fs';

interface Process {
  pid: number;
  parent: number;
  group: number;
  state: string;
  command: string;
}

/** Every process that descends from one, living ones only. */
export function descendants(of: number): Process[] {
  const found = running().filter((process) => process.parent === of);
  return found.flatMap((process) => [process, ...descendants(process.pid)]);
}

/** The living processes of the groups that these processes lead or led, orphans included. */
export function groupMembers(leaders: Iterable<number>): Process[] {
  const groups = new Set(leaders);
  return running().filter((process) => groups.has(process.group));
}

/** Linux, from /proc. */
function running(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((found): found is Process => found !== null && found.state !== 'Z');
}

/** The browsers that this test process has started and that still run: the processes that lead their groups. */
export function ownBrowsers(): number[] {
  return descendants(process.pid)
    .filter((found) => found.parent === process.pid && found.command.includes('--remote-debugging-pipe'))
    .map((found) => found.pid);
}

/** The processes that print pages. */
export function ownRenderers(): number[] {
  return descendants(process.pid)
    .filter((found) => found.command.includes('--type=renderer'))
    .map((found) => found.pid);
}

/** The memory of a process that it shares with no file, in megabytes. */
export function ownMegabytes(pid: number): number {
  const [, kibibytes] = /^RssAnon:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kibibytes) * 1_024) / 1e6;
}

/** A process that ended between two looks at it is no process any more. */
function readProcess(pid: number): Process | null {
  try {
    const [, state = '', parent = '', group = ''] =
      /\) (\S) (\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0/g, ' ');
    return { pid, parent: Number(parent), group: Number(group), state, command };
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
