/**
 * Calls `work` with a signal that is aborted after `ms` milliseconds, or when `outer` is. Returns its result.
 *
 * `AbortSignal.any` with `AbortSignal.timeout` would not do: nothing but the combined signal refers to the timer's, and Node.js 20 refers to
 * it weakly. Once the calling function is optimised, garbage collection takes the timer, and the call never times out.
 * @throws the errors of `work`.
 */
export async function withDeadline<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const timer = setTimeout(end, ms);
  outer?.addEventListener('abort', end);
  if (outer?.aborted === true) end();
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', end);
  }
}
