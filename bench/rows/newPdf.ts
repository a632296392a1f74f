import { loadInvoiceDocument } from '../../shared/invoiceDocuments';
import type { PrintTask } from '../limits/printPdfs';
import { apiLoad, pdf } from './apiLoad';
import { connections, type Row } from './Row';

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
