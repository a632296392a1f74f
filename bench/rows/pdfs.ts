import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadInvoiceDocument } from '../../shared/invoiceDocuments';
import type { PrintTask } from '../limits/printPdfs';
import { apiLoad, bareLoad, pdf } from './apiLoad';
import { type Bench, connections, type Row } from './Row';
import { callApi, inParallel } from './callApi';

const pagesOfTheLoop = 20;

export const newPdf: Row = {
  name: 'pdf-new',
  what: 'PDF never printed before',
  limit: { what: 'raw DevTools printToPDF loop, one warm tab', atLeast: 0.4 },
  async prepare(bench) {
    const { services, seeded } = bench.installation;
    const ids = seeded.invoiceIds.slice(0, pagesOfTheLoop);
    const loaded = await Promise.all(ids.map((id) => loadInvoiceDocument(services, seeded.companyId, id)));
    const documents = loaded.map(({ document }) => document);
    const loop = bench.startMeasurer<PrintTask>('dist/bench/limits/printPdfs.js');
    return {
      project: async (seconds) => {
        const paths = (await bench.fresh.forSeconds(seconds)).map((id) => `/api/invoices/${id}/pdf`);
        const sample = await apiLoad(bench, { paths, once: true, expected: pdf })(seconds);
        // PDFs of requests that were cut off at the end are printed as well.
        bench.fresh.used(sample.done + 4 * connections);
        return sample;
      },
      limit: (seconds) => loop.run({ documents, seconds }),
    };
  },
};

const files = 100;

export const storedPdf: Row = {
  name: 'pdf-again',
  what: 'PDF unchanged, again',
  limit: { what: 'bare Koa, the same bytes from a file', atLeast: 0.4 },
  async prepare(bench) {
    const folder = join(bench.dataDir, 'bare-pdfs');
    mkdirSync(folder, { recursive: true });
    const ids = await bench.fresh.take(files);
    await downloadPdfs(bench, ids, (id, bytes) => writeFile(join(folder, `${id}.pdf`), bytes));
    const bare = await bench.installation.startServer('sendFile', { FOLDER: folder });
    return {
      project: apiLoad(bench, { paths: ids.map((id) => `/api/invoices/${id}/pdf`), expected: pdf }),
      limit: bareLoad(bench, bare, { paths: ids.map((id) => `/${id}.pdf`), expected: pdf }),
    };
  },
};

/** Downloads the PDF of an invoice from the API. @throws {Error} when the response is not a PDF. */
export async function downloadPdf(bench: Bench, invoiceId: number): Promise<Buffer> {
  const response = await callApi(bench, `/api/invoices/${invoiceId}/pdf`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.toString('latin1', 0, 5) !== '%PDF-') throw new Error(`the response for invoice ${invoiceId} is no PDF`);
  return bytes;
}

/** Downloads many PDFs. */
export function downloadPdfs(
  bench: Bench,
  invoiceIds: readonly number[],
  keep: (invoiceId: number, bytes: Buffer) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  return inParallel(invoiceIds, async (id) => keep(id, await downloadPdf(bench, id)));
}
