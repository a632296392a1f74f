import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `work` while no other process of this machine does so under the same lock file; waits as long as it takes. */
export async function withLock(path, work) {
  for (let told = false; !tryLock(path); await sleep(100)) {
    const holder = read(path);
    if (holder === undefined) continue;
    if (!isAlive(holder)) {
      removeStale(path, holder);
      continue;
    }
    if (!told) console.error(`waiting for process ${holder}, which is setting up this folder …`);
    told = true;
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

/** Its content, or undefined when the file is gone or its writer has not come to write yet. */
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

/** Of several that find the same dead holder one moves its lock away; who moved a fresh one by mistake puts it back. */
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
