const WIDTH = 30;
/** At most ten redraws a second. */
const EVERY_MS = 100;

/** A bar on stderr while a command works for long. Draws nothing where stderr is no terminal. */
export class Progress {
  private drawnAt = -Infinity;
  private drawn = false;

  /** @param total the amount of work; null if unknown */
  constructor(
    private readonly what: string,
    private readonly total: number | null,
    private readonly stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
  ) {}

  show(done: number): void {
    if (!this.stream.isTTY || performance.now() - this.drawnAt < EVERY_MS) return;
    this.drawnAt = performance.now();
    this.drawn = true;
    this.stream.write(`\r${this.line(done)}`);
  }

  /** Removes the bar. */
  end(): void {
    if (this.drawn) this.stream.write('\r\u001b[K');
  }

  private line(done: number): string {
    if (this.total === null) return `${this.what}: ${done}`;
    const part = this.total === 0 ? 1 : Math.min(1, done / this.total);
    const bar = '#'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH, '.');
    return `${this.what}: [${bar}] ${Math.floor(part * 100)} % (${done} of ${this.total})`;
  }
}
