/** Runs tasks in the next iterations of the event loop, in order and at most `together` in each. A task must not throw. */
export class Pieces {
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly together: number) {}

  add(task: () => void): void {
    if (this.waiting.push(task) === 1) setImmediate(this.runSome);
  }

  private readonly runSome = (): void => {
    const some = this.waiting.splice(0, this.together);
    if (this.waiting.length > 0) setImmediate(this.runSome);
    for (const task of some) task();
  };
}

/** Ends requests. Each end lasts at most 0.3 ms, and thousands may be due at the same time. */
export const endings = new Pieces(16);
