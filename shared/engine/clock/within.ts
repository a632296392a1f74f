/**
 * Returns the result of `work`.
 * @param problem the message of the error where it takes longer than `ms`, without the time
 * @throws {Error} then; the errors of `work`.
 */
export function within<T>(ms: number, work: Promise<T>, problem: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${problem} within ${ms} ms`)), ms).unref();
    void work.then(resolve, reject).finally(() => clearTimeout(late));
  });
}
