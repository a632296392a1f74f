import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../dev/measuring/median';
import { residentMegabytes } from '../../dev/measuring/residentMemory';
import { download } from '../rows/exportInvoices';
import type { Bench } from '../rows/Row';
import type { Figure } from './Figure';

/** Between two requests of the other company: it has most of the processor to spare. */
const pauseMs = 5;
const idleRequests = 300;

/** What an export costs the process of the API, and another company. */
export const exportCost: Figure = {
  name: 'export-cost',
  what: 'memory of the API, and GETs of another company, while a company exports its invoices',
  async measure(bench) {
    const { apiUrl, pids } = bench.installation;
    const { token, invoices } = await bench.books();
    const run = (): Promise<void> => download(`${apiUrl}/api/invoices?items=rows`, token, invoices);
    // Code that is compiled, and a heap that has its size.
    await run();
    const get = getOf(bench);
    const idle: number[] = [];
    for (let n = 0; n < idleRequests; n++) idle.push(await get());
    const before = residentMegabytes(pids.api);
    const beside: number[] = [];
    let most = before;
    let isRunning = true;
    const exported = run().finally(() => (isRunning = false));
    while (isRunning) {
      beside.push(await get());
      most = Math.max(most, residentMegabytes(pids.api));
    }
    await exported;
    return [
      { what: `MB that the API grows by in an export of ${invoices} invoices`, value: most - before, atMost: 50 },
      {
        what: `a GET of another company meanwhile (${median(beside).toFixed(1)} ms), median, against idle`,
        value: median(beside) / median(idle),
        atMost: 1.5,
      },
    ];
  },
};

/** Returns what reads an invoice of the benchmark's company and resolves with the milliseconds that it took. */
function getOf({ installation }: Bench): () => Promise<number> {
  const { apiUrl, seeded } = installation;
  const headers = { Authorization: `Bearer ${seeded.token}` };
  let sent = 0;
  return async () => {
    await sleep(pauseMs);
    const id = seeded.invoiceIds[sent++ % seeded.invoiceIds.length] ?? 0;
    const began = performance.now();
    const response = await fetch(`${apiUrl}/api/invoices/${id}`, { headers });
    await response.arrayBuffer();
    return performance.now() - began;
  };
}
