import { apiLoad } from './apiLoad';
import type { Row } from './Row';

const depth = 50_000;

export const cursor: Row = {
  name: 'cursor',
  what: 'GET /api/invoices?cursor=… (10), 5,000 pages deep',
  // At most 1.2 times the time.
  limit: { what: 'the first page', atLeast: 1 / 1.2 },
  async prepare(bench) {
    const { apiUrl } = bench.installation;
    const { token } = await bench.books();
    const headers = { Authorization: `Bearer ${token}` };
    let next = '';
    for (let read = 0; read < depth; read += 100) {
      const response = await fetch(`${apiUrl}/api/invoices?limit=100&cursor=${next}`, { headers });
      const page = (await response.json()) as { nextCursor?: string | null };
      if (!page.nextCursor) throw new Error(`no page follows ${read} records: ${JSON.stringify(page).slice(0, 500)}`);
      next = page.nextCursor;
    }
    return {
      project: apiLoad(bench, { headers, paths: [`/api/invoices?cursor=${next}`] }),
      limit: apiLoad(bench, { headers, paths: ['/api/invoices?cursor='] }),
    };
  },
};
