import { createConnection } from 'mysql2/promise';
import { reports } from '../../shared/reports';
import type { Sql, SqlValue } from '../../shared/engine/db';
import type { Services } from '../../shared/services';
import { oneByOne } from './oneByOne';
import type { Row } from './Row';

export const receivables: Row = {
  name: 'receivables',
  what: 'GET /api/reports/receivables, 100,000 open invoices',
  // At most 1.2 times the time.
  limit: { what: 'its statement alone, by mysql2', atLeast: 1 / 1.2 },
  async prepare(bench) {
    const { apiUrl, databaseUrl, services } = bench.installation;
    const { companyId, token } = await bench.books();
    const { text, values } = await statementOf(services, companyId);
    const connection = await createConnection({ uri: databaseUrl, charset: 'utf8mb4_unicode_520_ci' });
    const headers = { Authorization: `Bearer ${token}` };
    return {
      project: oneByOne(async () => {
        const response = await fetch(`${apiUrl}/api/reports/receivables`, { headers });
        const { data } = (await response.json()) as { data: object[] };
        if (data.length !== 1) throw new Error(`receivables: ${response.status}, ${data.length} rows`);
      }),
      limit: oneByOne(async () => {
        await connection.query(text, [...values]);
      }),
    };
  },
};

/** The last statement of the report. The one before it reads the company's time zone. */
async function statementOf(
  services: Services,
  companyId: number,
): Promise<{ text: string; values: readonly SqlValue[] }> {
  let last: { text: string; values: readonly SqlValue[] } = { text: '', values: [] };
  const rows: Sql['rows'] = (text, values = []) => {
    last = { text, values };
    return services.sql.rows(text, values);
  };
  const sql = { ...services.sql, rows };
  await reports.Receivables.read({ sql, companyId, now: services.clock.now() }, {});
  return last;
}
