import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { endLeftover, livingProcess, removePidFile, writePidFile } from '../servers/pidFile';

/** Where an installation notes which processes are its own. */
export const pidFileOf = (dataDir: string, name: string) => join(dataDir, 'run', `${name}.pid`);

/**
 * Makes the folder of an installation, readable by its owner only, and claims it for this process. Ends the parts that a
 * killed launcher left behind on it.
 * @returns what gives the claim back.
 * @throws when another launcher runs on it.
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
