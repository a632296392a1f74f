import { within } from '../clock';
import { broken, skipped, type Check, type CheckResult, type Finding } from './Check';
import { reasonOf } from './reasonOf';

/** How long one check may take. */
const TIMEOUT_MS = 10_000;
/** How long a call within a check may take, so that its own reason is shown. */
export const CALL_TIMEOUT_MS = 8_000;

/**
 * Runs the checks concurrently, each after the one that it needs. Returns their results in the given order and never rejects: a
 * check that throws or times out is broken, and the others still have their results.
 * @param wrongVariables the variables with a wrong value
 */
export async function runChecks(
  checks: readonly Check[],
  { wrongVariables }: { readonly wrongVariables: ReadonlySet<string> },
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
    return { name, ...(await findingOf(check)) };
  };
  return Promise.all(checks.map(start));
}

async function findingOf(check: Check): Promise<Finding> {
  try {
    return await within(TIMEOUT_MS, check.run(), 'there was no result');
  } catch (error) {
    return broken(
      `the check failed: ${reasonOf(error)}`,
      'Correct what the message names; if a server is slow, look at its load and at the network in between. Then repeat the check.',
    );
  }
}
