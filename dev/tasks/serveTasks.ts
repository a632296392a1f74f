/** What the parent process asks for. */
export type Order<Task> = { task: Task } | { interrupt: true };

/** What the parent process gets back for a task: its end, and before that, from some tasks, that it is under way. */
export type Reply<Result> = { result: Result } | { failure: string } | { underWay: true };

/**
 * Makes this process run tasks of its parent, one at a time, until the parent is gone. The signal is aborted when the parent
 * interrupts the task; `underWay` tells the parent that the task has begun in earnest.
 */
export function serveTasks<Task, Result>(
  work: (task: Task, signal: AbortSignal, underWay: () => void) => Promise<Result>,
): void {
  const reply = (message: Reply<Result>): void => void process.send?.(message);
  let running = new AbortController();
  process.on('message', (order: Order<Task>) => {
    if ('interrupt' in order) return running.abort();
    running = new AbortController();
    work(order.task, running.signal, () => reply({ underWay: true })).then(
      (result) => reply({ result }),
      (error: unknown) => reply({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
