import { setTimeout as sleep } from 'node:timers/promises';
import { downloadPdfs } from '../rows/downloadPdf';
import type { Bench } from '../rows/Row';
import { residentMegabytes } from '../../dev/measuring/residentMemory';

/** Of one process, in megabytes. */
export interface MemoryResult {
  process: 'API' | 'worker';
  afterRun: number;
  below: number;
  /** Before and after {@link watchedPdfs} more PDFs; null where it was not watched. */
  growth: { before: number; after: number } | null;
}

export const watchedPdfs = 2_000;
/** So many come before the watch begins, whatever rows were measured: caches fill, code is compiled. */
const warmingPdfs = 500;
/** Collected or not at the moment of looking: a heap that does not grow still breathes this much. */
export const breath = 15;

/** Resident memory of the API and of the worker without its browser, and whether 2,000 PDFs make it grow. */
export async function measureMemory(bench: Bench, watchGrowth: boolean): Promise<MemoryResult[]> {
  const { api, worker } = bench.installation.pids;
  const look = async (): Promise<{ api: number; worker: number }> => {
    await sleep(1_000);
    return { api: residentMegabytes(api), worker: residentMegabytes(worker) };
  };
  const afterRun = await look();
  if (!watchGrowth) return results(afterRun, null, null);
  await downloadPdfs(bench, await bench.fresh.take(warmingPdfs));
  const before = await look();
  await downloadPdfs(bench, await bench.fresh.take(watchedPdfs));
  return results(afterRun, before, await look());
}

type Look = { api: number; worker: number };

function results(afterRun: Look, before: Look | null, after: Look | null): MemoryResult[] {
  const growth = (name: keyof Look) => (before && after ? { before: before[name], after: after[name] } : null);
  return [
    { process: 'API', afterRun: afterRun.api, below: 200, growth: growth('api') },
    { process: 'worker', afterRun: afterRun.worker, below: 250, growth: growth('worker') },
  ];
}
