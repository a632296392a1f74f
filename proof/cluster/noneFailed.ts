import type { CallResult } from '../faults/callPatiently';

/** Reports requests that failed otherwise than with one of the `expected` statuses. */
export function noneFailed(results: readonly CallResult[], expected: readonly string[] = []): string[] {
  const tries = results.flatMap((result) => result.tries);
  const failed = tries.filter((status) => !status.startsWith('2') && !expected.includes(status));
  return failed.length === 0 ? [] : [`${failed.length} requests failed: ${[...new Set(failed)].join(', ')}`];
}
