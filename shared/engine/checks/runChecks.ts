import { setTimeout as sleep } from 'node:timers/promises';
import { broken, skipped, type Check, type CheckResult, type Finding } from './Check';
import { reasonOf } from './reasonOf';

/** How long one check may take. */
const TIMEOUT_MS = 10_000;

export interface RunOptions {
  /** The variables with a wrong value. */
  readonly wrongVariables: ReadonlySet<string>;
  /** For each check, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * Runs the checks concurrently, each after the one that it needs. Returns their results in the given order and never rejects: a
 * check that throws or times out is broken, and the others still have their results.
 */
export async function runChecks(
  checks: readonly Check[],
  { wrongVariables, timeoutMs = TIMEOUT_MS }: RunOptions,
): Promise<CheckResult[]> {
  const started = new Map<Check, Promise<CheckResult>>();
  const start = (check: Check): Promise<CheckResult> => {
    const running = started.get(check) ?? resultOf(check);
    started.set(check, running);
    return running;
  };
  const resultOf = async (check: Check): Promise<CheckResult> => {
    const { name, needs, variables = [] } = check;
    const wrong = variables.find((variable) => wrongVariables.has(variable));
    if (wrong !== undefined) return { name, ...skipped(`not checked: ${wrong} has to be set right first`) };
    const needed = needs && (await start(needs));
    if (needed?.status === 'broken' || needed?.status === 'skipped') {
      return { name, ...skipped(`not checked: "${needed.name}" is ${needed.status}`) };
    }
    return { name, ...(await findingOf(check, timeoutMs)) };
  };
  return Promise.all(checks.map(start));
}

async function findingOf(check: Check, timeoutMs: number): Promise<Finding> {
  const stop = new AbortController();
  const late = sleep(timeoutMs, null, { signal: stop.signal }).then(
    () =>
      broken(
        `there was no result within ${timeoutMs / 1_000} s`,
        'Repeat the check. If it stays so, look at the load of the servers and at the network in between.',
      ),
    // The check ended first.
    () => skipped('not timed out'),
  );
  try {
    return await Promise.race([check.run(), late]);
  } catch (error) {
    return broken(`the check failed: ${reasonOf(error)}`, 'Correct what the message names, and repeat the check.');
  } finally {
    stop.abort();
  }
}
