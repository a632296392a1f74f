import { residentMegabytes } from '../../../dev/measuring/residentMemory';

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
