import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../../dev/measuring/residentMemory';
import { downloadPdfs } from '../rows/pdfs';
import type { Bench } from '../rows/Row';
import type { Figure, Finding } from './Figure';

export interface MemoryUse {
  /** In RAM, without the children of the process. */
  residentMegabytes: number;
  /** Heap and buffers that are in use. */
  heapMegabytes: number;
}

/** Returns the memory of a process that was started with `reportHeap`, in megabytes (10^6 bytes). */
async function memoryOf(pid: number, dataDir: string): Promise<MemoryUse> {
  const heapFile = join(dataDir, `heap-${pid}`);
  // Lets the work of the last requests end.
  await sleep(1_000);
  const resident = residentMegabytes(pid);
  rmSync(heapFile, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(heapFile)) await sleep(50);
  return { residentMegabytes: resident, heapMegabytes: Number(readFileSync(heapFile, 'utf8')) / 1e6 };
}

const watchedPdfs = 10_000;
/** PDFs that are printed before growth is measured, so that caches are filled and code is compiled. */
const warmingPdfs = 2_000;
/** At most the invoices of the installation. */
const batch = 2_000;
/** Megabytes by which a heap varies without a leak: caches, and objects of the last requests. */
const heapVariation = 5;

const processes = { api: { name: 'API', below: 200 }, worker: { name: 'worker', below: 250 } } as const;
type Process = keyof typeof processes;

/**
 * The resident memory of the API and of the worker without its browser, and the growth of their heaps over 10,000 PDFs.
 * The heap is measured after a full garbage collection: resident memory alone does not distinguish a leak from garbage.
 */
export const memory: Figure = {
  name: 'memory',
  what: 'memory',
  async measure(bench, quick) {
    if (!quick) await print(bench, warmingPdfs);
    const before = await used(bench);
    if (quick) return each((process, bounds) => [residentIn(before[process], bounds, 'after the run')]);
    await print(bench, watchedPdfs);
    const after = await used(bench);
    const pdfs = `${watchedPdfs.toLocaleString('en')} PDFs`;
    return each((process, bounds) => [
      residentIn(after[process], bounds, `after ${pdfs}`),
      {
        what: `${bounds.name}, growth of the heap over ${pdfs}, MB`,
        value: after[process].heapMegabytes - before[process].heapMegabytes,
        atMost: heapVariation,
      },
    ]);
  },
};

async function print(bench: Bench, count: number): Promise<void> {
  for (let printed = 0; printed < count; printed += batch) await downloadPdfs(bench, await bench.fresh.take(batch));
}

type Bounds = (typeof processes)[Process];

const each = (findings: (process: Process, bounds: Bounds) => Finding[]): Finding[] =>
  (['api', 'worker'] as const).flatMap((process) => findings(process, processes[process]));

const residentIn = ({ residentMegabytes }: MemoryUse, { name, below }: Bounds, when: string): Finding => ({
  what: `${name}, ${when}, MB`,
  value: residentMegabytes,
  atMost: below,
});

async function used({ installation: { pids, dataDir } }: Bench): Promise<Record<Process, MemoryUse>> {
  return { api: await memoryOf(pids.api, dataDir), worker: await memoryOf(pids.worker, dataDir) };
}
