import type { CallResult } from '../faults/callWithRetries';

/** Reports requests that failed with a status that is not `expected`. */
export function noneFailed(results: readonly CallResult[], expected: readonly string[] = []): string[] {
  const tries = results.flatMap((result) => result.tries);
  const failed = tries.filter((status) => !status.startsWith('2') && !expected.includes(status));
  return failed.length === 0 ? [] : [`${failed.length} requests failed: ${[...new Set(failed)].join(', ')}`];
}
