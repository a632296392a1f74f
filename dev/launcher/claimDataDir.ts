import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { endLeftover, livingProcess, removePidFile, writePidFile } from '../servers/pidFile';

/** Returns the path of the pid file of a process of the installation. */
export const pidFileOf = (dataDir: string, name: string) => join(dataDir, 'run', `${name}.pid`);

/**
 * Creates the folder of an installation, readable by its owner only, and locks it for this process. Ends processes that
 * a killed launcher left in it.
 * @returns a function that releases the lock
 * @throws {Error} when another launcher holds the lock.
 */
export async function claimDataDir(dataDir: string, log: (line: string) => void): Promise<() => void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  mkdirSync(join(dataDir, 'run'), { recursive: true });
  const own = pidFileOf(dataDir, 'launcher');
  const other = livingProcess(own);
  if (other !== undefined) {
    throw new Error(
      `Process ${other} runs on ${dataDir} already. End it first, or start a second copy beside it with a folder and a port ` +
        'of its own: DATA_DIR=.data2 PORT=3100 npm start',
    );
  }
  writePidFile(own, process.pid);
  for (const name of readdirSync(join(dataDir, 'run'))) {
    if (join(dataDir, 'run', name) !== own) await endLeftover(join(dataDir, 'run', name), log);
  }
  return () => removePidFile(own);
}
