interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** Lets at most `limit` tasks of one key run at the same time. Further ones wait in line, first come, first served. */
export class Turns {
  private readonly lines = new Map<number, Line>();

  /** `refusal` makes the error for a task that has waited for `longestWaitMs`. */
  constructor(
    private readonly limit: number,
    private readonly longestWaitMs: number,
    private readonly refusal: () => Error,
  ) {}

  /** @throws what `task` throws, or the refusal: then the task was not begun. */
  async run<T>(key: number, task: () => Promise<T>): Promise<T> {
    const line = this.lines.get(key) ?? { running: 0, waiting: [] };
    this.lines.set(key, line);
    if (line.running < this.limit) line.running++;
    else await this.waitIn(line);
    try {
      return await task();
    } finally {
      const next = line.waiting.shift();
      if (next !== undefined) next();
      else if (--line.running === 0) this.lines.delete(key);
    }
  }

  private waitIn(line: Line): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.waiting.splice(line.waiting.indexOf(enter), 1);
        reject(this.refusal());
      }, this.longestWaitMs);
      line.waiting.push(enter);
    });
  }
}
