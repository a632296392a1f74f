import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { broken, type CheckResult } from '../../shared/engine/checks';

/** Its checks end within 10 seconds each and run at the same time. */
const TIMEOUT_MS = 20_000;
const OUTPUT_KEPT = 1_000;

/**
 * Runs the checks of Chromium, mail and gateway. They are a program of the workers (`workers/doctor`), so they run in a process
 * of their own: the command line does not know what workers are made of.
 */
export async function runWorkerChecks(
  entry = join(projectRoot, 'dist/workers/doctor/index.js'),
): Promise<CheckResult[]> {
  const child = fork(entry, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-OUTPUT_KEPT)));
  const results = once(child, 'message').then(([message]) => message as CheckResult[]);
  const ended = once(child, 'close').then(() => null);
  return (await Promise.race([results, ended])) ?? [failed(output)];
}

function failed(output: string): CheckResult {
  const reason = output.replace(/\s+/g, ' ').trim() || 'it wrote nothing';
  return {
    name: 'worker: checks',
    ...broken(
      `the process that checks Chromium, mail and gateway ended without a result: ${reason}`,
      'Build the service (`npm run build`), and see that this machine has memory for a worker.',
    ),
  };
}
