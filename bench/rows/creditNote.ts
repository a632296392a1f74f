import { seedBooks } from '../installation/seedBooks';
import { apiLoad, json } from './apiLoad';
import type { Row } from './Row';

/** More than are credited in one measurement. The next one credits them again: a quantity of 1 of 1,000 each time. */
const invoices = 5_000;
const items = 10;

export const creditNote: Row = {
  name: 'credit-note',
  what: `POST /api/invoices/{id}/credit-notes (${items} items)`,
  limit: { what: 'POST /api/invoices with as many items', atLeast: 0.7 },
  async prepare(bench) {
    const { services } = bench.installation;
    const { companyId, token, clientId } = await seedBooks(services, invoices, items);
    const byInvoice = new Map<number, { itemId: number; quantity: number }[]>();
    const all = await services.sql.rows<{ id: number; invoiceId: number }>(
      'SELECT id, invoiceId FROM invoice_items WHERE companyId = ? ORDER BY invoiceId, position',
      [companyId],
    );
    for (const { id, invoiceId } of all) {
      const ofInvoice = byInvoice.get(invoiceId) ?? [];
      byInvoice.set(invoiceId, [...ofInvoice, { itemId: id, quantity: 1 }]);
    }
    const invoice = {
      ...{ clientId, issueDate: '2026-01-15', dueDate: '2026-02-14', taxRate: 11 },
      items: Array.from({ length: items }, (_, n) => ({ description: `Seat ${n}`, quantity: 1_000, unitPrice: 100 })),
    };
    const headers = { Authorization: `Bearer ${token}` };
    const requests = { method: 'POST', headers, expected: json(201) } as const;
    return {
      project: apiLoad(bench, {
        ...requests,
        once: true,
        paths: [...byInvoice.keys()].map((id) => `/api/invoices/${id}/credit-notes`),
        bodies: [...byInvoice.values()].map((credited) => JSON.stringify({ reason: 'Returned', items: credited })),
      }),
      limit: apiLoad(bench, { ...requests, paths: ['/api/invoices'], bodies: [JSON.stringify(invoice)] }),
    };
  },
};
