import { serveTasks } from '../../dev/tasks/serveTasks';
import { type InvoiceDocument, invoicePage } from '../../shared/documents';
import { createLogger } from '../../shared/engine/log/log';
import { chromiumLauncher } from '../../workers/pdf/chromiumLauncher';
import { InvoiceTab } from '../../workers/pdf/InvoiceTab';

export interface PrintTask {
  /** The invoices whose pages are printed, round after round. */
  documents: InvoiceDocument[];
  seconds: number;
}

/**
 * Prints PDFs in a bare loop over one warm tab: fill the page, `Page.printToPDF`, next. Without queue, pool or storage, and with HTML
 * made beforehand: the baseline for the service's path through HTTP, queue, worker and store.
 */
serveTasks(async ({ documents, seconds }: PrintTask) => {
  const options = { chromePath: '', allowNoSandbox: true, environment: 'test' } as const;
  const browser = await chromiumLauncher(options, createLogger('silent', 'bench'))();
  try {
    const tab = await InvoiceTab.open(browser);
    const pages = documents.map((document) => invoicePage(document, null));
    for (const page of pages) await tab.print(page);
    const started = performance.now();
    let done = 0;
    while (performance.now() - started < seconds * 1000) {
      for (const page of pages) {
        await tab.print(page);
        done += 1;
      }
    }
    return { perSecond: done / ((performance.now() - started) / 1000), p50Ms: null, p99Ms: null, done };
  } finally {
    await browser.dispose();
  }
});
