import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '../../../config/ConfigurationError';
import { runEntry } from './process';

const FIRST_WITHIN_MS = 2_000;
const AGAIN_AFTER_MS = 2_000;

/**
 * Runs a check of a process that starts. It has a result when it passes, or throws a ConfigurationError: the process must not run. Without a
 * result within two seconds the process starts, and the check is repeated until it has one. Other errors are given to `failed`.
 * @throws {ConfigurationError} within two seconds; later it ends the process.
 */
export async function guardStart(check: () => Promise<void>, failed: (error: unknown) => void): Promise<void> {
  const attempt = async (): Promise<boolean> => {
    try {
      await check();
      return true;
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      failed(error);
      return false;
    }
  };
  if (await Promise.race([attempt(), sleep(FIRST_WITHIN_MS, false, { ref: false })])) return;
  runEntry(async () => {
    while (!(await attempt())) await sleep(AGAIN_AFTER_MS, undefined, { ref: false });
  });
}
