import type { Sample } from './Sample';

/** What a measuring process answers to a task. */
export type Reply = { sample: Sample } | { failure: string };

/** Makes this process take measuring tasks from its parent, one at a time, until the parent is gone. */
export function serveMeasurements<Task>(measure: (task: Task) => Promise<Sample>): void {
  const reply = (message: Reply): void => void process.send?.(message);
  process.on('message', (task: Task) => {
    measure(task).then(
      (sample) => reply({ sample }),
      (error: unknown) => reply({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
