/**
 * Runs `batch` after batch, each from the position that the one before returned, until there is none: null. Ctrl-C stops after the batch
 * in progress. Returns whether that left something to do.
 */
export async function untilDone<P>(start: P, batch: (from: P) => Promise<P | null>): Promise<{ interrupted: boolean }> {
  let isStopped = false;
  const stop = (): void => void (isStopped = true);
  // A second signal ends the process immediately, and its transaction rolls back.
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let next = await batch(start);
  while (next !== null && !isStopped) next = await batch(next);
  return { interrupted: next !== null };
}
