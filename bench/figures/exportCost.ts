import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../../dev/measuring/residentMemory';
import { download } from '../rows/exportInvoices';
import type { Figure } from './Figure';

const sampleEveryMs = 5;

/** The growth of the API's memory during an export. */
export const exportCost: Figure = {
  name: 'export-cost',
  what: 'memory of the API while a company exports its invoices',
  async measure(bench) {
    const { apiUrl, pids } = bench.installation;
    const { token, invoices } = await bench.books();
    const run = (): Promise<void> => download(`${apiUrl}/api/invoices?items=rows`, token, invoices);
    // The first export compiles the code and lets the heap grow to its usual size.
    await run();
    const before = residentMegabytes(pids.api);
    let most = before;
    let isRunning = true;
    const exported = run().finally(() => (isRunning = false));
    for (; isRunning; await sleep(sampleEveryMs)) most = Math.max(most, residentMegabytes(pids.api));
    await exported;
    return [
      { what: `MB that the API grows by in an export of ${invoices} invoices`, value: most - before, atMost: 50 },
    ];
  },
};
