import { residentMegabytes } from '../../../dev/measuring/residentMemory';

const everyMs = 200;

/** Watches the resident memory of a process, which may end and start again meanwhile. */
export class MemoryWatch {
  mostMegabytes = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pid: () => number) {
    this.timer = setInterval(() => this.look(), everyMs);
    this.look();
  }

  stop(): number {
    clearInterval(this.timer);
    return this.mostMegabytes;
  }

  private look(): void {
    const pid = this.pid();
    if (pid === 0) return;
    try {
      this.mostMegabytes = Math.max(this.mostMegabytes, residentMegabytes(pid) || 0);
    } catch (error) {
      // It ended at this moment.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}
