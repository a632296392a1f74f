/** A message from the parent process. */
export type Order<Task> = { task: Task } | { interrupt: true };

/** A message to the parent process: the end of a task, and from some tasks before that, that it has begun. */
export type Reply<Result> = { result: Result } | { failure: string } | { hasBegun: true };

/**
 * Runs tasks of the parent process, one at a time, until the parent has ended. The signal is aborted when the parent
 * interrupts the task. `hasBegun` reports to the parent that the task has begun.
 */
export function serveTasks<Task, Result>(
  work: (task: Task, signal: AbortSignal, hasBegun: () => void) => Promise<Result>,
): void {
  const reply = (message: Reply<Result>): void => void process.send?.(message);
  let running = new AbortController();
  process.on('message', (order: Order<Task>) => {
    if ('interrupt' in order) return running.abort();
    running = new AbortController();
    work(order.task, running.signal, () => reply({ hasBegun: true })).then(
      (result) => reply({ result }),
      (error: unknown) => reply({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
