import { connections } from './Row';

/** Calls `work` for each item, for as many at the same time as the benchmark has connections. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const workOnNext = async (): Promise<void> => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: connections }, workOnNext));
}
