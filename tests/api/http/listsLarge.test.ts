import { createHash } from 'node:crypto';
import type { Services } from '../../../shared/services';
import { createCategory, createCompany, createExpense } from '../../support/factories';
import { eventually } from '../../support/eventually';
import { installation } from '../../support/installation';
import { createLargeInvoices, type LargeInvoices } from '../../support/largeInvoices';
import { startApiProcess } from '../../support/processes';
import { startApi, type TestApi } from '../../support/server';
import { sendUnread } from '../../support/unread';
import { residentMegabytes } from '../../../dev/measuring/residentMemory';

const INVOICES = 100;
const MIB = 1024 * 1024;
const empty = '{"data":[],"total":0,"page":1,"limit":10,"totalPages":0}';
let api: TestApi;
let services: Services;
let large: LargeInvoices;

beforeAll(async () => {
  api = await startApi({ env: { MAX_RATE_MB: '1000' } });
  services = api.services;
  large = await createLargeInvoices(services, INVOICES);
});

const get = (path: string, { token = large.token, url = api.url, method = 'GET' } = {}): Promise<Response> =>
  fetch(url + path, { method, headers: { Authorization: `Bearer ${token}` } });

/** The page that the single records make, read one a page. */
async function assembled(path: string, from: number, to: number, token = large.token): Promise<string> {
  const records: string[] = [];
  for (let page = from; page <= to; page++) {
    const text = await (await get(`${path}&limit=1&page=${page}`, { token })).text();
    records.push(text.slice('{"data":['.length, text.lastIndexOf('],"total":')));
  }
  return `{"data":[${records.join(',')}]`;
}

interface Invoice {
  id: number;
  total: string;
  items: Record<string, unknown>[];
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a page of 100 invoices with 1,000 items of 500 characters', () => {
  let whole: string;
  beforeAll(async () => {
    whole = await (await get('/api/invoices?limit=100')).text();
  });

  test('arrives complete › every invoice with its items in order, in the exact envelope', () => {
    expect(whole.length).toBeGreaterThan(60 * MIB);
    const page = JSON.parse(whole) as { data: Invoice[] };
    expect(page.data.map(({ id }) => id)).toEqual([...large.ids].reverse());
    for (const { id, items } of page.data) {
      expect(items).toHaveLength(1_000);
      expect(items.every(({ description }, at) => String(description).startsWith(`"Item" ${at} of ${id} `))).toBe(true);
    }
    expect({ ...page, data: [] }).toEqual({ data: [], total: 100, page: 1, limit: 100, totalPages: 1 });
    expect(digestOf(JSON.stringify(page))).toBe(digestOf(whole));
  });

  test('has the items that GET of each invoice shows', async () => {
    const { data } = JSON.parse(whole) as { data: Invoice[] };
    for (const invoice of [data[0], data[57], data[99]]) {
      const single = (await (await get(`/api/invoices/${invoice?.id}`)).json()) as Invoice;
      expect(invoice?.total).toBe(single.total);
      expect(invoice?.items.map(({ createdAt: _, updatedAt: __, ...item }) => item)).toEqual(single.items);
    }
  });

  test('in an API with a heap of 128 MB › three at a time arrive complete', async () => {
    const process = await startApiProcess({ ...(await installation()), MAX_RATE_MB: '1000' }, [
      '--max-old-space-size=128',
    ]);
    const digest = digestOf(whole);
    const texts = Array.from({ length: 3 }, async () =>
      digestOf(await (await get('/api/invoices?limit=100', process)).text()),
    );
    expect(await Promise.all(texts)).toEqual([digest, digest, digest]);
    expect(residentMegabytes(process.child.pid ?? 0)).toBeLessThan(400);
    await process.end('SIGKILL');
  });

  test('in an API with a heap of 128 MB › 60 connections that never read leave it serving others', async () => {
    const process = await startApiProcess({ ...(await installation()), MAX_RATE_MB: '1000' }, [
      '--max-old-space-size=128',
    ]);
    const other = await createCompany(services);
    const unread = Array.from({ length: 60 }, () => sendUnread(process.url, large.token, ['/api/invoices?limit=100']));
    await Promise.all(unread);
    await eventually(async () => (await get('/api/invoices', { url: process.url, token: other.token })).ok);
    for (let sent = 0; sent < 50; sent++) {
      expect(await (await get('/api/invoices', { url: process.url, token: other.token })).text()).toBe(empty);
    }
    expect(residentMegabytes(process.child.pid ?? 0)).toBeLessThan(400);
    await process.end('SIGKILL');
  });

  test('in an API with a heap of 128 MB › 500 requests on one connection that never reads leave it serving others', async () => {
    const process = await startApiProcess({ ...(await installation()), MAX_RATE_MB: '1000' }, [
      '--max-old-space-size=128',
    ]);
    const other = await createCompany(services);
    await sendUnread(process.url, large.token, Array<string>(500).fill(`/api/invoices/${large.ids[0]}`));
    for (let sent = 0; sent < 50; sent++) {
      expect(await (await get('/api/invoices', { url: process.url, token: other.token })).text()).toBe(empty);
    }
    expect(residentMegabytes(process.child.pid ?? 0)).toBeLessThan(400);
    await process.end('SIGKILL');
  });
});

describe('a page that is too large for one statement', () => {
  test.each([
    ['/api/invoices?sortBy=total&sortOrder=asc', 3, 2],
    ['/api/invoices?sortBy=invoiceNumber&sortOrder=desc', 3, 34],
    ['/api/invoices?sortBy=createdAt&search=COPY-1', 5, 2],
  ])('%s › pages of %i: page %i has its records in order', async (path, limit, page) => {
    const text = await (await get(`${path}&limit=${limit}&page=${page}`)).text();
    const { total, totalPages } = JSON.parse(text) as { total: number; totalPages: number };
    const expected = await assembled(path, (page - 1) * limit + 1, Math.min(page * limit, total));
    expect(digestOf(text)).toBe(
      digestOf(`${expected},"total":${total},"page":${page},"limit":${limit},"totalPages":${totalPages}}`),
    );
    expect(totalPages).toBe(Math.ceil(total / limit));
  });

  test('of expenses with long descriptions › arrives complete', async () => {
    const { companyId, token } = await createCompany(services);
    const categoryId = (await createCategory(services, companyId)).id;
    for (let made = 0; made < 40; made++) {
      await createExpense(services, companyId, { categoryId, description: `${made} ${'長い説明'.repeat(2_490)}` });
    }
    const path = '/api/expenses?sortBy=id';
    const text = await (await get(`${path}&limit=100`, { token })).text();
    expect(Buffer.byteLength(text)).toBeGreaterThan(MIB);
    const expected = `${await assembled(path, 1, 40, token)},"total":40,"page":1,"limit":100,"totalPages":1}`;
    expect(digestOf(text)).toBe(digestOf(expected));
  });

  test('HEAD › the headers alone', async () => {
    const response = await get('/api/invoices?limit=100', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.text()).toBe('');
  });

  test('an invoice that is deleted after the page was begun › is still on it, as it is when it is read', async () => {
    const rows = services.sql.rows.bind(services.sql);
    const last = large.ids[97] ?? 0;
    let reads = 0;
    jest.spyOn(services.sql, 'rows').mockImplementation(async (text, values) => {
      const found = await rows(text, values);
      // The ids of the page come first.
      if (text.startsWith('SELECT page.id')) {
        await services.sql.run('UPDATE invoices SET softDelete = 1 WHERE id = ?', [last]);
        reads++;
      }
      return found;
    });
    const { data, total } = (await (await get('/api/invoices?limit=3')).json()) as {
      data: { id: number; softDelete: boolean; items: object[] }[];
      total: number;
    };
    await services.sql.run('UPDATE invoices SET softDelete = 0 WHERE id = ?', [last]);
    expect(reads).toBe(1);
    expect(total).toBe(INVOICES);
    expect(data.map(({ id, softDelete, items }) => [id, softDelete, items.length])).toEqual([
      [large.ids[99], false, 1000],
      [large.ids[98], false, 1000],
      [last, true, 1000],
    ]);
  });

  test('a record that cannot be read › the connection is cut, so that nobody takes a part for the whole', async () => {
    const rows = services.sql.rows.bind(services.sql);
    let reads = 0;
    jest.spyOn(services.sql, 'rows').mockImplementation((text, values) => {
      const isRecord = /WHERE i\.companyId = \? AND i\.id = \?$/.test(text);
      if (isRecord && ++reads === 3) return Promise.reject(new Error('the database is gone'));
      return rows(text, values);
    });
    const response = await get('/api/invoices?limit=5');
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(reads).toBe(3);
  });
});
