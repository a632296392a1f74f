import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../../dev/measuring/residentMemory';
import { downloadPdfs } from '../rows/downloadPdf';
import type { Bench } from '../rows/Row';
import type { Figure, Finding } from './Figure';

const watchedPdfs = 2_000;
/** PDFs that are printed before growth is measured, so that caches are filled and code is compiled. */
const warmingPdfs = 500;
/** The variation of a heap that does not grow, which depends on the last garbage collection. */
const variation = 15;

const processes = { api: { name: 'API', below: 200 }, worker: { name: 'worker', below: 250 } } as const;
type Process = keyof typeof processes;

/** The resident memory of the API and of the worker without its browser, and whether 2,000 PDFs make it grow. */
export const memory: Figure = {
  name: 'memory',
  what: 'memory',
  async measure(bench, quick) {
    const afterRun = await resident(bench);
    const findings = each((process, { name, below }) => ({
      what: `${name}, after the run, MB`,
      value: afterRun[process],
      atMost: below,
    }));
    if (quick) return findings;
    await downloadPdfs(bench, await bench.fresh.take(warmingPdfs));
    const before = await resident(bench);
    await downloadPdfs(bench, await bench.fresh.take(watchedPdfs));
    const after = await resident(bench);
    const growth = each((process, { name }) => ({
      what: `${name}, growth over ${watchedPdfs.toLocaleString('en')} PDFs, MB`,
      value: after[process] - before[process],
      atMost: variation,
    }));
    return [...findings, ...growth];
  },
};

const each = (finding: (process: Process, bounds: (typeof processes)[Process]) => Finding): Finding[] =>
  (['api', 'worker'] as const).map((process) => finding(process, processes[process]));

async function resident({ installation: { pids } }: Bench): Promise<Record<Process, number>> {
  await sleep(1_000);
  return { api: residentMegabytes(pids.api), worker: residentMegabytes(pids.worker) };
}
