import { jsonOf } from '../../installation/HttpClient';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

const items = Array.from({ length: 1_000 }, () => ({
  ...{ description: '<&"'.repeat(166), quantity: '1.25', unitPrice: '1234.56' },
}));

export const invoicePages: Attack = {
  name: 'invoice-pages',
  what: 'the page of an invoice of 1,000 items, which needs no key, also with thousands of parameters, 32 connections',
  prepare: (ground) => ground.newCompany(1, () => ({ items, status: 'sent' })),
  run: async (attacker, signal) => {
    const reply = await attacker.send({ path: `/api/invoices/${attacker.company.invoiceIds[0]}/hosted-page` });
    const { pathname } = new URL(jsonOf<{ url: string }>(reply).url);
    const queries = ['', `?${'a&'.repeat(6_000)}`, '/logo', '/pay'];
    await repeat(attacker, 32, signal, (turn) =>
      attacker.send({ path: pathname + (queries[turn % queries.length] ?? ''), headers: { Authorization: '' } }),
    );
  },
};
