import { existsSync, readFileSync } from 'node:fs';
import { residentMegabytes } from '../../dev/measuring/residentMemory';

const everyMs = 200;

/** Records the highest resident memory of a process, which may restart meanwhile. */
export class MemoryWatch {
  mostMegabytes = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pid: () => number) {
    this.timer = setInterval(() => this.read(), everyMs);
    this.read();
  }

  stop(): number {
    clearInterval(this.timer);
    return this.mostMegabytes;
  }

  private read(): void {
    const pid = this.pid();
    if (pid === 0) return;
    try {
      this.mostMegabytes = Math.max(this.mostMegabytes, residentMegabytes(pid) || 0);
    } catch (error) {
      // The process has just ended.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/** Returns the longest recorded delay of an event loop between two times (Unix time in ms), in milliseconds. */
export function longestLagMs(file: string, from: number, until: number): number {
  if (!existsSync(file)) return 0;
  const delays = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(' ').map(Number))
    .filter(([at = 0]) => at >= from && at <= until)
    .map(([, delay = 0]) => delay);
  return Math.max(0, ...delays);
}
