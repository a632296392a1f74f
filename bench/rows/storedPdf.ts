import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiLoad, bareLoad, pdf } from './apiLoad';
import { downloadPdfs } from './downloadPdf';
import type { Row } from './Row';

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
