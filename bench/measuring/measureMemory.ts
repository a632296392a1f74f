import { setTimeout as sleep } from 'node:timers/promises';
import { downloadPdfs } from '../rows/downloadPdf';
import type { Bench } from '../rows/Row';
import { residentMegabytes } from '../../dev/measuring/residentMemory';

/** The resident memory of one process, in megabytes. */
export interface MemoryResult {
  process: 'API' | 'worker';
  afterRun: number;
  below: number;
  /** The memory before and after {@link watchedPdfs} more PDFs; null if that was not measured. */
  growth: { before: number; after: number } | null;
}

export const watchedPdfs = 2_000;
/** PDFs that are printed before growth is measured, so that caches are filled and code is compiled. */
const warmingPdfs = 500;
/** The variation of a heap that does not grow, which depends on the last garbage collection. */
export const breath = 15;

/** Measures the resident memory of the API and of the worker without its browser, and whether 2,000 PDFs make it grow. */
export async function measureMemory(bench: Bench, watchGrowth: boolean): Promise<MemoryResult[]> {
  const { api, worker } = bench.installation.pids;
  const measure = async (): Promise<{ api: number; worker: number }> => {
    await sleep(1_000);
    return { api: residentMegabytes(api), worker: residentMegabytes(worker) };
  };
  const afterRun = await measure();
  if (!watchGrowth) return results(afterRun, null, null);
  await downloadPdfs(bench, await bench.fresh.take(warmingPdfs));
  const before = await measure();
  await downloadPdfs(bench, await bench.fresh.take(watchedPdfs));
  return results(afterRun, before, await measure());
}

type Memory = { api: number; worker: number };

function results(afterRun: Memory, before: Memory | null, after: Memory | null): MemoryResult[] {
  const growth = (name: keyof Memory) => (before && after ? { before: before[name], after: after[name] } : null);
  return [
    { process: 'API', afterRun: afterRun.api, below: 200, growth: growth('api') },
    { process: 'worker', afterRun: afterRun.worker, below: 250, growth: growth('worker') },
  ];
}
