import { sampleItems } from '../installation/samples';
import { besideBare, json, type Requests } from './apiLoad';
import type { Bench, Row } from './Row';

export const createInvoice: Row = {
  name: 'create',
  what: 'POST /api/invoices (3 items)',
  limit: { what: 'bare Koa + mysql2 transaction', atLeast: 0.5 },
  async prepare(bench) {
    const { seeded, services } = bench.installation;
    const { companyId, clientId } = seeded.other;
    await services.sql.run("INSERT INTO number_sequences (companyId, series, nextValue) VALUES (?, 'bare', 1)", [
      companyId,
    ]);
    const variables = { COMPANY_ID: String(companyId), CLIENT_ID: String(clientId) };
    return besideBare(bench, 'createInvoice', creates(bench), variables);
  },
};

/** Invoices of three items, for the clients in turn. */
export function creates({ installation }: Bench): Requests {
  const bodies = installation.seeded.clientIds.map((clientId, index) =>
    JSON.stringify({
      clientId,
      issueDate: '2026-01-15',
      dueDate: '2026-02-14',
      taxRate: 11,
      items: sampleItems(index),
    }),
  );
  return { method: 'POST', paths: ['/api/invoices'], bodies, expected: json(201) };
}
