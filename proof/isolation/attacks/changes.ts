import { randomUUID } from 'node:crypto';
import { addDays, dayIn, LAST_DAY } from '../../../shared/dates/dates';
import { fileBody, jsonOf, newInvoice } from '../../installation/HttpClient';
import type { Attack } from '../Attack';
import { create, flood, type Flood, repeat } from '../attacker/tools';

/** A URL whose host takes long to write in ASCII. */
const slowUrl = (turn: number): string => {
  const signs = Array.from({ length: 2_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((turn + at * 7) % 20_000)));
  return `http://${signs.join('')}`;
};
/** Items of 500 characters. */
const longItems = (count: number): object[] =>
  Array.from({ length: count }, () => ({ description: 'x'.repeat(500), quantity: '1', unitPrice: '1.00' }));
/** Items with all usual Chinese and Korean signs: a PDF has a font for each few of them. */
const manySigns = (): object[] => {
  const ranges = [
    [0x4e00, 0x9fff],
    [0xac00, 0xd7a3],
  ] as const;
  const signs = ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at));
  return Array.from({ length: Math.ceil(signs.length / 500) }, (_, index) => ({
    description: String.fromCodePoint(...signs.slice(index * 500, (index + 1) * 500)),
    ...{ quantity: '1', unitPrice: '1.00' },
  }));
};
/** Of one call to a sandbox. */
const sandboxDays = 2;

const withoutWait = { method: 'POST', headers: { Prefer: 'respond-async' } } as const;

const emailsWithoutWait: Flood = {
  name: 'emails-without-wait',
  what: 'e-mails of 100 invoices that no request waits for, 64 connections',
  connections: 64,
  prepare: (ground) => ground.newCompany(100),
  calls:
    ({ company: { invoiceIds } }) =>
    (turn) => ({ path: `/api/invoices/${invoiceIds[turn % 100]}/send-email`, ...withoutWait }),
};

const paymentLinks: Flood = {
  name: 'payment-links',
  what: 'new payment links of 60 invoices, each of which replaces the one before, 8 connections',
  connections: 8,
  prepare: (ground) => ground.newCompany(60),
  calls:
    ({ company: { invoiceIds } }) =>
    (turn) => ({
      path: `/api/invoices/${invoiceIds[turn % 60]}/create-gateway-invoice`,
      ...withoutWait,
      body: { regenerate: true },
    }),
};

/** Many changes, and expensive ones. */
export const changes: readonly Attack[] = [
  flood({
    name: 'creates',
    what: 'creates of invoices, 64 connections',
    connections: 64,
    calls: ({ company }) => {
      const body = newInvoice(company.clientId);
      return () => ({ path: '/api/invoices', method: 'POST', body });
    },
  }),
  flood({
    name: 'large-invoices',
    what: 'creates (with and without keys) and updates of invoices of 1,000 items of 500 characters, 8 connections',
    connections: 8,
    prepare: (ground) => ground.newCompany(8),
    calls: ({ company: { clientId, invoiceIds } }) => {
      const items = longItems(1_000);
      const body = newInvoice(clientId, { items });
      return (turn) => {
        if (turn % 3 === 2) return { path: `/api/invoices/${invoiceIds[turn % 8]}`, method: 'PUT', body: { items } };
        const headers: Record<string, string> = turn % 3 === 1 ? { 'Idempotency-Key': randomUUID() } : {};
        return { path: '/api/invoices', method: 'POST', body, headers };
      };
    },
  }),
  flood({
    name: 'repeated-keys',
    what: 'one create of an invoice of 200 items, repeated with its idempotency key, 32 connections',
    connections: 32,
    calls: ({ company }) => {
      const body = newInvoice(company.clientId, { items: longItems(200) });
      return () => ({ path: '/api/invoices', method: 'POST', headers: { 'Idempotency-Key': 'the same' }, body });
    },
  }),
  {
    name: 'payments',
    what: 'payments of one invoice, recorded and voided, which wait for its lock, 64 connections',
    run: async (attacker, signal) => {
      const { id } = await create(attacker, '/api/invoices', newInvoice(attacker.company.clientId));
      const path = `/api/invoices/${id}/payments`;
      await repeat(attacker, 64, signal, async () => {
        const recorded = await attacker.send({ path, method: 'POST', body: { amount: '1.00' } });
        if (recorded.status !== 201) return;
        await attacker.send({ path: `${path}/${jsonOf<{ id: number }>(recorded).id}`, method: 'DELETE' });
      });
    },
  },
  {
    name: 'email-flood',
    what: 'e-mails of new invoices, 32 connections',
    run: (attacker, signal) =>
      repeat(attacker, 32, signal, async () => {
        const body = newInvoice(attacker.company.clientId);
        const created = await attacker.send({ path: '/api/invoices', method: 'POST', body });
        if (created.status !== 201) return;
        await attacker.send({ path: `/api/invoices/${jsonOf<{ id: number }>(created).id}/send-email`, method: 'POST' });
      }),
  },
  flood(emailsWithoutWait),
  flood({ ...emailsWithoutWait, name: 'emails-at-a-rate', variables: { EMAIL_RATE_PER_SECOND: '14' } }),
  flood({
    name: 'large-emails',
    what: 'e-mails of two invoices with 32,000 different signs, whose PDFs have 7 MB, 16 connections',
    connections: 16,
    prepare: (ground) => ground.newCompany(2, () => ({ status: 'sent', items: manySigns() })),
    calls:
      ({ company: { invoiceIds } }) =>
      (turn) => ({ path: `/api/invoices/${invoiceIds[turn % invoiceIds.length]}/send-email`, method: 'POST' }),
  }),
  flood(paymentLinks),
  flood({ ...paymentLinks, name: 'payment-links-at-a-rate', variables: { GATEWAY_RATE_PER_SECOND: '10' } }),
  {
    name: 'many-emails',
    what: '3,000 send-emails at the same time (with --quick 1,000), and no worker for e-mails and webhooks runs',
    without: ['email', 'delivery'],
    variables: { WORKER_QUEUES: 'pdf,payment-link,schedule', JOB_WAIT_MS: '5000' },
    prepare: (ground) => ground.newCompany(100),
    // Continues after an interruption, because every request has to be accepted.
    run: async (attacker) => {
      const { invoiceIds } = attacker.company;
      const one = async (index: number): Promise<void> => {
        const begun = Date.now();
        try {
          const path = `/api/invoices/${invoiceIds[index % invoiceIds.length]}/send-email`;
          await attacker.send({ path, method: 'POST', signal: AbortSignal.timeout(60_000) });
          if (Date.now() - begun > 30_000) attacker.count('later than 30 s');
        } catch (error) {
          attacker.count((error as NodeJS.ErrnoException).code ?? (error as Error).name);
        }
      };
      await Promise.all(Array.from({ length: attacker.quick ? 1_000 : 3_000 }, (_, index) => one(index)));
    },
    judge: ({ counts }) => {
      const others = Object.entries(counts).filter(([what]) => what !== '202');
      if (others.length === 0) return null;
      return `not every send-email was accepted in time: ${others.map(([what, count]) => `${what} × ${count}`).join(', ')}`;
    },
  },
  flood({
    name: 'imports',
    what: 'imports of 1,000 clients, 16 connections',
    connections: 16,
    calls: async () => {
      const rows = Array.from({ length: 1_000 }, (_, row) => `Client ${row},accounts@client-${row}.example\n`);
      const file = Buffer.from(`name,email\n${rows.join('')}`);
      const upload = await fileBody('file', file, 'clients.csv', 'text/csv', { type: 'clients' });
      return () => ({ path: '/api/imports', method: 'POST', ...upload });
    },
  }),
  flood({
    name: 'slow-urls',
    what: 'imports of 500 expenses whose URLs have hosts of 2,000 Chinese signs, which nothing is made of, 2 connections',
    connections: 2,
    calls: async () => {
      const rows = Array.from({ length: 500 }, (_, row) => `v,1.00,2026-01-01,c,${slowUrl(row)}\n`);
      const file = Buffer.from(`vendor,amount,expenseDate,category,receiptUrl\n${rows.join('')}`);
      const upload = await fileBody('file', file, 'expenses.csv', 'text/csv', { type: 'expenses', dryRun: 'true' });
      return () => ({ path: '/api/imports', method: 'POST', ...upload });
    },
  }),
  flood({
    name: 'import-of-cells',
    what: 'imports of 50,000 rows of 69 cells, of which nothing is made, 2 connections',
    connections: 2,
    calls: async () => {
      const file = Buffer.from(`name\n${`${'é,'.repeat(68)}x\n`.repeat(50_000)}`);
      const upload = await fileBody('file', file, 'clients.csv', 'text/csv', { type: 'clients', dryRun: 'true' });
      return () => ({ path: '/api/imports', method: 'POST', ...upload });
    },
  }),
  {
    name: 'due-emails',
    what: '20,000 e-mails (with --quick 2,000) that no request waits for and that fall due at the same time',
    prepare: (ground) => ground.newCompany(100, () => ({ status: 'sent' })),
    begin: (ground, company) => ground.addDueEmails(company, ground.quick ? 2_000 : 20_000),
    run: async (attacker, signal) => {
      while (!signal.aborted) await attacker.send({ path: '/api/invoices?limit=1', signal });
    },
  },
  flood({
    name: 'time-zones',
    what: 'another time zone for a company with 30,000 series that are due on one day, 8 connections',
    connections: 8,
    prepare: async (ground) => {
      const company = await ground.newCompany(1);
      await ground.addSeries(company, 30_000, 'UTC_DATE() + INTERVAL 9 DAY');
      return company;
    },
    calls: () => {
      const zones = ['Asia/Tokyo', 'Asia/Jakarta', 'UTC'];
      return (turn) => ({ path: '/api/company', method: 'PUT', body: { timezone: zones[turn % zones.length] } });
    },
  }),
  {
    name: 'many-series',
    what: '30,000 series of one company fall due (with --quick 3,000), and its own reads',
    prepare: (ground) => ground.newCompany(1),
    begin: (ground, company) => ground.addDueSeries(company, ground.quick ? 3_000 : 30_000),
    run: async (attacker, signal) => {
      let before = Infinity;
      while (!signal.aborted) {
        const { total } = jsonOf<{ total: number }>(await attacker.send({ path: '/api/invoices?limit=1', signal }));
        if (total > before) attacker.count('more occurrences');
        before = total;
      }
    },
    judge: ({ counts }) => (counts['more occurrences'] === undefined ? 'no occurrence was made' : null),
  },
  flood({
    name: 'sandbox-runs',
    what: 'a sandbox that makes three invoices of 1,000 items for each day to come, 1 connection',
    connections: 1,
    prepare: (ground) => ground.newSandbox(3, () => ({ items: longItems(1_000), recurring: 'daily' })),
    calls: () => (turn) => {
      const asOf = addDays(dayIn('UTC', new Date()), sandboxDays * (turn + 1)) ?? LAST_DAY;
      return { path: '/api/schedules/run', method: 'POST', body: { asOf } };
    },
  }),
];
