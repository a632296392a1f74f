import { type InvoiceDocument, invoicePage } from '../shared/documents';
import { createLogger } from '../shared/engine/log/log';
import { chromiumLauncher } from '../workers/pdf/chromiumLauncher';
import { InvoiceTab } from '../workers/pdf/InvoiceTab';

export interface RawPdfLoop {
  /** The invoices whose pages are printed, round after round. */
  documents: readonly InvoiceDocument[];
  seconds: number;
}

/**
 * Prints PDFs in a bare loop over one warm tab: fill the page, `Page.printToPDF`, next. Without queue, pool or storage, and with HTML
 * made beforehand: the baseline for the service's path through HTTP, queue, worker and store.
 */
export async function measureRawPdfLoop({ documents, seconds }: RawPdfLoop): Promise<number> {
  const options = { chromePath: '', allowNoSandbox: true, environment: 'test' } as const;
  const browser = await chromiumLauncher(options, createLogger('silent', 'bench'))();
  try {
    const tab = await InvoiceTab.open(browser);
    const pages = documents.map((document) => invoicePage(document, null));
    for (const page of pages) await tab.print(page);
    const started = performance.now();
    let printed = 0;
    while (performance.now() - started < seconds * 1000) {
      for (const page of pages) {
        await tab.print(page);
        printed += 1;
      }
    }
    return printed / ((performance.now() - started) / 1000);
  } finally {
    await browser.dispose();
  }
}
