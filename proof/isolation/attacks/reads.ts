import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { invoiceList } from '../../../shared/invoices';
import { fileBody, jsonOf, newInvoice } from '../../installation/HttpClient';
import type { Attack, Attacker } from '../Attack';
import { create, flood, rawSocket, repeat, requestHead, untilClosed } from '../attacker/tools';

const { enum: sortFields } = (invoiceList.query.properties as { sortBy: { enum: string[] } }).sortBy;
const reports = [
  'receivables?asOf=2026-01-20',
  'receivables?groupBy=client',
  'revenue?by=day&from=2026-01-01&to=2026-12-31',
  'revenue?by=client&from=2026-01-01&to=2026-12-31',
  'tax?from=2026-01-01&to=2026-12-31',
];
const receiptBytes = 10_000_000;

/** Repeated requests without a key. */
const withoutKey = (name: string, what: string, paths: readonly string[]): Attack =>
  flood({
    name,
    what: `${what}, without a key, 64 connections`,
    connections: 64,
    calls: () => (turn) => ({ path: paths[turn % paths.length] ?? '', headers: { Authorization: '' } }),
  });

/** Returns the header of a proxy that names another network for each turn. */
const ofNetwork = (turn: number): Record<string, string> => ({
  'X-Forwarded-For': `2001:${(turn % 65_536).toString(16)}:${Math.floor(turn / 65_536).toString(16)}::1`,
});

/** Prepares an invoice whose page is large. */
const withLargePage: Attack['prepare'] = (ground) => {
  const texts = ['<&"'.repeat(166), `e${'\u0301\u0328'.repeat(240)}`];
  const items = Array.from({ length: 1_000 }, (_, index) => ({
    description: texts[index % texts.length] ?? '',
    quantity: '1.25',
    unitPrice: '1234.56',
  }));
  return ground.newCompany(1, () => ({ items, status: 'sent' }));
};

/** Returns the path of that page. */
async function pathOfPage(attacker: Attacker): Promise<string> {
  const reply = await attacker.send({ path: `/api/invoices/${attacker.company.invoiceIds[0]}/hosted-page` });
  return new URL(jsonOf<{ url: string }>(reply).url).pathname;
}

/** Reads of the page of a large invoice. `headersOf` returns the headers of a turn. */
function invoicePages({
  headersOf,
  ...named
}: Pick<Attack, 'name' | 'what'> & { headersOf: (turn: number) => Record<string, string> }): Attack {
  return flood({
    ...named,
    connections: 32,
    prepare: withLargePage,
    calls: async (attacker) => {
      const pathname = await pathOfPage(attacker);
      const queries = ['', `?${'a&'.repeat(3_500)}`, '/logo', '/pay'];
      return (turn) => ({
        path: pathname + (queries[turn % queries.length] ?? ''),
        headers: { Authorization: '', ...headersOf(turn) },
      });
    },
  });
}

/** Makes a sent invoice of 1,000 items between parties with all the text that they may have. Returns the path of its operations. */
async function createWide(attacker: Attacker): Promise<string> {
  const text = (length: number): string => '\u4e00'.repeat(length);
  const { clientId } = attacker.company;
  const party = { name: text(255), address: text(1_000), taxId: text(100) };
  const company = { ...party, paymentInstructions: text(1_000) };
  await attacker.send({ path: '/api/company', method: 'PUT', body: company });
  await attacker.send({ path: `/api/clients/${clientId}`, method: 'PUT', body: party });
  const items = Array.from({ length: 1_000 }, () => ({ description: 'x', quantity: '1', unitPrice: '1.00' }));
  const { id } = await create(attacker, '/api/invoices', newInvoice(clientId, { items, status: 'sent' }));
  return `/api/invoices/${id}`;
}

/** Reads that are cheap for the sender and expensive for the service. */
export const reads: readonly Attack[] = [
  flood({
    name: 'long-lists',
    what: 'lists of 100 invoices of 1,000 items of 500 characters, 8 at the same time',
    connections: 8,
    prepare: (ground) => ground.heavy(),
    calls: () => () => ({ path: '/api/invoices?limit=100' }),
  }),
  flood({
    name: 'compressed-lists',
    what: 'compressed lists of 100 invoices of 1,000 items of 500 characters, 16 connections',
    connections: 16,
    prepare: (ground) => ground.heavy(),
    calls: () => () => ({ path: '/api/invoices?limit=100', headers: { 'Accept-Encoding': 'gzip' } }),
  }),
  flood({
    name: 'cheap-reads',
    what: 'the company and the newest event, 64 connections',
    connections: 64,
    calls: () => (turn) => ({ path: turn % 2 === 0 ? '/api/company' : '/api/events?after=latest' }),
  }),
  flood({
    name: 'exports',
    what: 'exports of 100 invoices of 1,000 items of 500 characters, a row each, of which one is served at a time, 16 connections',
    connections: 16,
    prepare: (ground) => ground.heavy(),
    calls: () => () => ({ path: '/api/invoices?items=rows', headers: { Accept: 'text/csv' } }),
  }),
  flood({
    name: 'searches',
    what: 'searches of 10,000 invoices, 64 connections',
    connections: 64,
    prepare: (ground) => Promise.resolve(ground.archive),
    calls: () => (turn) => ({ path: `/api/invoices?search=nothing-${turn % 1_000}&limit=100` }),
  }),
  {
    name: 'slow-exports',
    what: 'exports of a search that takes longest, whose client leaves at once, 16 connections',
    prepare: (ground) => ground.repeatedLetters(),
    run: (attacker, signal) => {
      const path = `/api/expenses?search=${'a'.repeat(254)}b`;
      const request = requestHead(attacker, `GET ${path}`, ['Accept: text/csv']);
      return repeat(attacker, 16, signal, async () => {
        const socket = rawSocket(attacker, request);
        await sleep(100);
        socket.destroy();
      });
    },
  },
  flood({
    name: 'deep-pages',
    what: 'the last pages of a list of 10,000, sorted by each column, 64 connections',
    connections: 64,
    prepare: (ground) => Promise.resolve(ground.archive),
    calls: () => (turn) => {
      const sortBy = sortFields[turn % sortFields.length];
      return { path: `/api/invoices?limit=100&page=${90 + (turn % 10)}&sortBy=${sortBy}` };
    },
  }),
  {
    ...flood({
      name: 'distinct-statements-of-37',
      what: 'pages of a list, each another one, where MySQL prepares 885 statements: the part of an API and a worker of 37 processes, 64 connections',
      connections: 64,
      calls: () => (turn) => ({ path: `/api/invoices?limit=${(turn % 7) + 1}&page=${turn + 1}` }),
    }),
    prepare: async (ground) => {
      await ground.mostPrepared(885);
      return ground.archive;
    },
    restore: (ground) => ground.mostPrepared(16_382),
  },
  flood({
    name: 'filters',
    what: 'filters that nearly all of 10,000 invoices match, 64 connections',
    connections: 64,
    prepare: (ground) => Promise.resolve(ground.archive),
    calls: () => (turn) => {
      const day = `2020-01-${String((turn % 28) + 1).padStart(2, '0')}`;
      return { path: `/api/invoices?issueDateFrom=${day}&currency=IDR` };
    },
  }),
  flood({
    name: 'reports',
    what: 'reports over 10,000 invoices, 32 connections',
    connections: 32,
    prepare: (ground) => Promise.resolve(ground.archive),
    calls: () => (turn) => ({ path: `/api/reports/${reports[turn % reports.length]}` }),
  }),
  flood({
    name: 'feed-reads',
    what: 'the feed of 5,000 events, by 1,000, also compressed and with types that match nothing, 64 connections',
    connections: 64,
    prepare: (ground) => ground.withEvents(),
    calls: () => (turn) => ({
      path: `/api/events?limit=1000&after=${turn % 2_000}${turn % 3 === 2 ? '&types=expense.created,client.*' : ''}`,
      ...(turn % 3 === 1 && { headers: { 'Accept-Encoding': 'gzip' } }),
    }),
  }),
  flood({
    name: 'large-events',
    what: 'the feed of 5,000 events of 12 kB, by 1,000, 32 connections',
    connections: 32,
    prepare: (ground) => ground.withEvents('x'.repeat(12_000)),
    calls: () => (turn) => ({ path: `/api/events?limit=1000&after=${turn % 2_000}` }),
  }),
  flood({
    name: 'file-tails',
    what: 'the last byte of a receipt of 10 MB, and by every eighth request all of it, 64 connections',
    connections: 64,
    calls: async (attacker) => {
      const content = Buffer.alloc(receiptBytes, ' ');
      content.write('%PDF-1.4\n');
      content.write('\n%%EOF\n', receiptBytes - 7);
      const upload = await fileBody('file', content, 'receipt.pdf', 'application/pdf');
      const receipt = await attacker.send({ path: '/api/receipts', method: 'POST', ...upload });
      const path = `/api/receipts/${jsonOf<{ id: number }>(receipt).id}`;
      return (turn) => ({ path, ...(turn % 8 < 7 && { headers: { Range: `bytes=${receiptBytes - 1}-` } }) });
    },
  }),
  flood({
    name: 'occurrences',
    what: 'the coming dates of a daily series that began in 1900, and changes of it, 32 connections',
    connections: 32,
    calls: async (attacker) => {
      const daily = newInvoice(attacker.company.clientId, { issueDate: '1900-01-01', recurring: 'daily' });
      const { id } = await create(attacker, '/api/invoices', daily);
      return (turn) =>
        turn % 4 === 3
          ? { path: `/api/invoices/${id}`, method: 'PUT', body: { nextDueDate: '1900-01-01' } }
          : { path: `/api/invoices/${id}/occurrences?next=100&limit=1000` };
    },
  }),
  flood({
    name: 'wrong-keys',
    what: 'requests with keys that do not exist, 64 connections, from the address that the victim uses too',
    connections: 64,
    calls:
      ({ company }) =>
      () => {
        const token = company.token.slice(0, -43) + randomBytes(32).toString('base64url');
        return { path: '/api/invoices', headers: { Authorization: `Bearer ${token}` } };
      },
  }),
  flood({
    name: 'refused-requests',
    what: 'requests for an operation that does not exist, 64 connections',
    connections: 64,
    calls: () => () => ({ path: '/api/nothing' }),
  }),
  invoicePages({
    name: 'invoice-pages',
    what: 'the page of an invoice of 1,000 items, of signs and of letters with 480 accents, which needs no key, 32 connections',
    headersOf: () => ({}),
  }),
  {
    ...invoicePages({
      name: 'many-networks',
      what: 'the same page, each request from another network of IPv6, 32 connections',
      headersOf: ofNetwork,
    }),
    // Which shares one company's part with them.
    without: ['page'],
  },
  {
    name: 'slowly-read-pages',
    what: 'the same page, of which 64 connections take 4 KiB a second',
    prepare: withLargePage,
    run: async (attacker, signal) => {
      const request = `GET ${await pathOfPage(attacker)} HTTP/1.1\r\nHost: a\r\n\r\n`;
      await repeat(attacker, 64, signal, async () => {
        const socket = rawSocket(attacker, request, false);
        const reading = setInterval(() => void socket.read(4_096), 1_000);
        await untilClosed(socket, signal);
        clearInterval(reading);
      });
    },
  },
  flood({
    name: 'fat-pages',
    what: 'the page of an invoice of 1,000 items between parties with long addresses, which needs no key, 32 connections',
    connections: 32,
    calls: async (attacker) => {
      const reply = await attacker.send({ path: `${await createWide(attacker)}/hosted-page` });
      const { pathname: path } = new URL(jsonOf<{ url: string }>(reply).url);
      return () => ({ path, headers: { Authorization: '' } });
    },
  }),
  flood({
    name: 'fat-credit-notes',
    what: 'a credit note of 1,000 items with notes of 10,000 signs, 32 connections',
    connections: 32,
    calls: async (attacker) => {
      const body = { reason: 'x', notes: '\u4e00'.repeat(10_000) };
      const { id } = await create(attacker, `${await createWide(attacker)}/credit-notes`, body);
      return () => ({ path: `/api/credit-notes/${id}` });
    },
  }),
  withoutKey('fixed-pages', 'the OpenAPI document and the reference page', ['/openapi.json', '/docs']),
  withoutKey('unknown-pages', 'pages that do not exist', ['/nothing', '/docs/nothing']),
  flood({
    name: 'waiting-networks',
    what: 'pages that do not exist, each request from another network of IPv6, 1,000 connections',
    connections: 1_000,
    // Which waits for its turn among the thousand.
    without: ['page'],
    calls: () => (turn) => ({ path: '/nothing', headers: { Authorization: '', ...ofNetwork(turn) } }),
  }),
  { ...withoutKey('health-flood', 'the health of the process', ['/healthz']), without: ['probe'] },
  {
    name: 'health-of-thousands',
    what: 'the same, 4,000 connections (with --quick 1,000)',
    without: ['probe'],
    run: (attacker, signal) => {
      const request = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
      return repeat(attacker, attacker.quick ? 1_000 : 4_000, signal, () => {
        const socket = rawSocket(attacker, request);
        socket.on('data', () => socket.write(request));
        return untilClosed(socket, signal);
      });
    },
  },
  flood({
    name: 'health-of-networks',
    what: 'the same, each request from another network of IPv6, 64 connections',
    connections: 64,
    without: ['probe'],
    calls: () => (turn) => ({ path: '/healthz', headers: { Authorization: '', ...ofNetwork(turn) } }),
  }),
];
