import { sampleItems } from '../installation/samples';
import { besideBare, json } from './apiLoad';
import type { Row } from './Row';

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
    const bodies = seeded.clientIds.map((id, index) =>
      JSON.stringify({
        clientId: id,
        issueDate: '2026-01-15',
        dueDate: '2026-02-14',
        taxRate: 11,
        items: sampleItems(index),
      }),
    );
    const requests = { method: 'POST', paths: ['/api/invoices'], bodies, expected: json(201) } as const;
    const variables = { COMPANY_ID: String(companyId), CLIENT_ID: String(clientId) };
    return besideBare(bench, 'createInvoice', requests, variables);
  },
};
