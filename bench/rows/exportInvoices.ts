import { oneByOne } from '../measuring/Sample';
import type { Row } from './Row';

export const exportInvoices: Row = {
  name: 'export',
  what: 'CSV of 100,000 invoices with items, invoices a second',
  limit: { what: 'bare Koa + mysql2 + csv-stringify, the same statement streamed', atLeast: 0.6 },
  async prepare(bench) {
    const { apiUrl, startServer } = bench.installation;
    const { companyId, token, invoices } = await bench.books();
    const bare = await startServer('exportInvoices', { COMPANY_ID: String(companyId) });
    const file = { times: 1, unitsEach: invoices };
    return {
      project: oneByOne(() => download(`${apiUrl}/api/invoices?items=rows`, token, invoices), file),
      limit: oneByOne(() => download(bare, token, invoices), file),
    };
  },
};

/** Downloads a file of invoices. @throws {Error} unless it has a header and two lines for each invoice. */
export async function download(url: string, token: string, invoices: number): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/csv', 'Accept-Encoding': 'identity' };
  const response = await fetch(url, { headers });
  if (response.status !== 200 || response.body === null) {
    throw new Error(`export: ${response.status} ${await response.text()}`);
  }
  let lines = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  }
  if (lines !== 1 + 2 * invoices) throw new Error(`export: ${lines} lines of ${invoices} invoices with two items`);
}
