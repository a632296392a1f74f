import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';
import { installIfStale } from './install.mjs';
import { withLock } from './lock.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Brings a clone up to date: installs the locked dependencies and compiles the sources, each only when it is out of
 * date. Several entries may run at the same time: one does the work, the others wait. Writes to stderr alone. Ends the
 * process with exit code 1 when a step fails.
 */
export async function bootstrap() {
  mkdirSync(join(root, 'dist'), { recursive: true });
  try {
    await withLock(join(root, 'dist/.bootstrap.lock'), async () => {
      await installIfStale(root);
      await buildIfStale(root);
    });
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
