import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `work` while this process holds the lock file. Waits for the lock without a limit. */
export async function withLock(path, work) {
  for (let reported = false; !tryLock(path); await sleep(100)) {
    const holder = read(path);
    if (holder === undefined) continue;
    if (!isAlive(holder)) {
      removeStale(path, holder);
      continue;
    }
    if (!reported) console.error(`waiting for process ${holder}, which is setting up this folder …`);
    reported = true;
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function tryLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns the content, or undefined when the file does not exist or is still empty. */
function read(path) {
  try {
    return readFileSync(path, 'utf8') || undefined;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Removes the lock of a process that has ended. Concurrent processes may do the same: each renames the file first, and
 * restores it if it is a new lock.
 */
function removeStale(path, holder) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (read(aside) !== holder) linkSync(aside, path);
    rmSync(aside);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(error.code)) throw error;
  }
}
