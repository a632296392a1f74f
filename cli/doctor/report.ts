import type { CheckResult, CheckStatus } from '../../shared/engine/checks';
import { outputText, isForPeople, type Output } from '../output';

const statuses = ['ok', 'warning', 'broken', 'skipped'] as const;

/** Prints the results, as lines on a terminal and as JSON elsewhere, and ends the process: with 1 if a check is broken. */
export function report(results: readonly CheckResult[], output: Output): Promise<void> {
  const status = worst(results);
  const exitCode = status === 'broken' ? 1 : 0;
  if (isForPeople(process.stdout)) return outputText(linesOf(results), exitCode);
  return output({ status, checks: results }, exitCode);
}

/** Returns the worst status; a skipped check is no finding. */
function worst(results: readonly CheckResult[]): CheckStatus {
  return (['broken', 'warning'] as const).find((status) => results.some((one) => one.status === status)) ?? 'ok';
}

/** Returns a line for each result, and the remedy below what is not ok. */
export function linesOf(results: readonly CheckResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length));
  const lines = results.flatMap(({ name, status, message, remedy }) => [
    `${status.padEnd(8)} ${name.padEnd(width)}  ${message}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(width + 11)}→ ${remedy}`]),
  ]);
  const count = (status: CheckStatus): number => results.filter((one) => one.status === status).length;
  return [...lines, '', statuses.map((status) => `${status}: ${count(status)}`).join(', ')].join('\n');
}
