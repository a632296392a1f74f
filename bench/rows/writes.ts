import { sampleExpense, sampleItems } from '../installation/samples';
import { apiLoad, besideBare, json, type Requests } from './apiLoad';
import type { Bench, Row } from './Row';
import { seedBooks } from '../installation/seedBooks';

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

export const createExpense: Row = {
  name: 'expense-create',
  what: 'POST /api/expenses',
  limit: { what: 'bare Koa + mysql2 transaction, the same inserts', atLeast: 0.5 },
  prepare(bench) {
    const { expenses, other } = bench.installation.seeded;
    const { categoryIds, otherCategoryId } = expenses;
    const bodies = categoryIds.map((categoryId, index) => {
      const { vendor, description, amount, expenseDate } = sampleExpense(index);
      return JSON.stringify({ categoryId, vendor, description, amount: Number(amount), expenseDate });
    });
    const requests = { method: 'POST', paths: ['/api/expenses'], bodies, expected: json(201) } as const;
    const variables = { COMPANY_ID: String(other.companyId), CATEGORY_ID: String(otherCategoryId) };
    return besideBare(bench, 'createExpense', requests, variables);
  },
};

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
