import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../../dev/measuring/residentMemory';

export interface MemoryUse {
  /** In RAM, without the children of the process. */
  residentMegabytes: number;
  /** Heap and buffers that are in use. */
  heapMegabytes: number;
}

/** Returns the memory of a process that was started with `reportHeap`, in megabytes (10^6 bytes). */
export async function memoryOf(pid: number, dataDir: string): Promise<MemoryUse> {
  const heapFile = join(dataDir, `heap-${pid}`);
  // Lets the work of the last requests end.
  await sleep(1_000);
  const resident = residentMegabytes(pid);
  rmSync(heapFile, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(heapFile)) await sleep(50);
  return { residentMegabytes: resident, heapMegabytes: Number(readFileSync(heapFile, 'utf8')) / 1e6 };
}
