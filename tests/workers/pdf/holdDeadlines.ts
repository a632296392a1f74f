/** For the limits of a renderer: longer than any print takes, however slow the machine is. */
export const deadlineMs = 600_000;

/** Deadlines of prints that are under way. */
export interface HeldDeadlines {
  readonly count: number;
  /** Lets them pass. */
  pass(): void;
}

/** From now on the deadlines of {@link deadlineMs} pass when the test says; until the mocks are restored. */
export function holdDeadlines(): HeldDeadlines {
  const { setTimeout: begin, clearTimeout: end } = globalThis;
  const held = new Map<unknown, () => void>();
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((run: () => void, ms?: number) => {
    const timer = begin(run, ms);
    if (ms === deadlineMs) held.set(timer, run);
    return timer;
  });
  jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    held.delete(timer);
    end(timer);
  });
  return {
    get count() {
      return held.size;
    },
    pass: () => held.forEach((run) => run()),
  };
}
