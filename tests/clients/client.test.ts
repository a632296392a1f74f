import { ApiError, InvoicingClient, type FeedEvent } from '../../clients/typescript/src';
import { createCategory, createClient, createCompany, createExpense, createInvoice } from '../support/factories';
import { png } from '../support/images';
import { numberAll } from '../support/sequencer';
import { startApi, type TestApi } from '../support/server';

let api: TestApi;
let companyId: number;
let clientId: number;
let client: InvoicingClient;

beforeAll(async () => {
  api = await startApi();
  const company = await createCompany(api.services);
  companyId = company.companyId;
  clientId = (await createClient(api.services, companyId)).id;
  // A slash at the end of the address is one too many.
  client = new InvoicingClient({ baseUrl: `${api.url}/`, apiKey: company.token });
});

const refusalOf = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => {
      throw new Error('the call succeeded');
    },
    (error: unknown) => error as ApiError,
  );

describe('a call', () => {
  test('returns the record that was created, read, changed and deleted', async () => {
    const { id, status, total } = await client.createInvoice({
      body: {
        clientId,
        issueDate: '2026-01-15',
        dueDate: '2026-02-14',
        items: [{ description: 'Consulting', quantity: 2, unitPrice: '100.00' }],
      },
    });
    expect({ status, total }).toEqual({ status: 'draft', total: '200.00' });
    expect(await client.getInvoice({ path: { id } })).toMatchObject({ id, total: '200.00' });
    expect(await client.updateInvoice({ path: { id }, body: { notes: 'Thank you' } })).toMatchObject({
      notes: 'Thank you',
    });
    expect(await client.listInvoices({ query: { search: 'Thank', limit: 1 } })).toMatchObject({ total: 0 });
    expect(await client.deleteInvoice({ path: { id } })).toHaveProperty('message');
  });

  test('sends and returns files as blobs', async () => {
    const file = new Blob([new Uint8Array(png())], { type: 'image/png' });
    const { id } = await client.createReceipt({ body: { file } });
    const read = await client.downloadReceipt({ path: { id } });
    expect(Buffer.from(await read.arrayBuffer())).toEqual(png());
  });

  test('that is refused › throws what the service responded', async () => {
    const missing = await refusalOf(client.getInvoice({ path: { id: 999_999_999 } }));
    expect(missing).toBeInstanceOf(ApiError);
    expect(missing).toMatchObject({ status: 404, code: 'not_found', message: 'invoice not found' });
    expect(missing.requestId).toBe(missing.problem?.requestId);
    const wrong = await refusalOf(client.createClient({ body: { name: '' } }));
    expect(wrong).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(wrong.problem?.errors?.[0]?.path).toBe('name');
  });

  test('with another key › throws 401, and a logged client does not show its key', async () => {
    const stranger = new InvoicingClient({ baseUrl: api.url, apiKey: 'inv_secret' });
    expect(await refusalOf(stranger.getCompany())).toMatchObject({ status: 401 });
    expect(JSON.stringify(stranger)).not.toContain('inv_secret');
    const { inspect } = await import('node:util');
    expect(inspect(stranger, { showHidden: true, depth: 5 })).not.toContain('inv_secret');
  });

  test('of a client without an address › is none: it says what an address is', () => {
    const open = (baseUrl?: string) => new InvoicingClient({ baseUrl: baseUrl as string, apiKey: 'inv_secret' });
    expect(() => open()).toThrow('baseUrl must be an address such as https://invoices.example.com, not undefined');
    expect(() => open('127.0.0.1:3000')).toThrow('not 127.0.0.1:3000');
  });

  test('by request › has its headers and a body as it came', async () => {
    const company = await client.request('getCompany');
    const headers = { 'If-Match': company.headers.get('ETag') ?? '' };
    await client.updateCompany({ body: { phone: '1' }, headers });
    expect(await refusalOf(client.updateCompany({ body: { phone: '2' }, headers }))).toMatchObject({ status: 412 });
    const csv = await client.request('listClients', { query: { columns: 'id' }, headers: { Accept: 'text/csv' } });
    expect(await csv.text()).toBe(`id\r\n${clientId}\r\n`);
  });
});

describe('all', () => {
  test('reads a list to its end, each record once, and keeps the filters', async () => {
    const { id: categoryId } = await createCategory(api.services, companyId);
    const made: number[] = [];
    for (let index = 0; index < 7; index += 1) {
      made.push((await createExpense(api.services, companyId, { categoryId, vendor: `Vendor ${index}` })).id);
    }
    const read: number[] = [];
    for await (const { id } of client.all('listExpenses', { query: { limit: 3, sortOrder: 'asc' } })) read.push(id);
    expect(read).toEqual(made);
    const found: string[] = [];
    for await (const { vendor } of client.all('listExpenses', { query: { search: 'Vendor 4' } })) found.push(vendor);
    expect(found).toEqual(['Vendor 4']);
  });

  test('of the records of another record › takes its path', async () => {
    const { id } = await createInvoice(api.services, companyId, { clientId });
    for await (const payment of client.all('listInvoicePayments', { path: { id } })) expect(payment).toBeUndefined();
  });
});

describe('events', () => {
  test('continues after an event, waits for the next, and ends when its signal is aborted', async () => {
    await numberAll(api.services);
    const { nextAfter } = await client.listEvents({ query: { after: 'latest' } });
    const [controller, seen] = [new AbortController(), [] as FeedEvent[]];
    const following = (async () => {
      const from = { after: nextAfter, types: ['client.created'], signal: controller.signal };
      for await (const event of client.events(from)) seen.push(event);
    })();
    const names = ['First', 'Second'];
    for (const name of names) {
      await createClient(api.services, companyId, { name });
      await numberAll(api.services);
      while (seen.at(-1)?.type !== 'client.created' || nameOf(seen.at(-1)) !== name) await new Promise(setImmediate);
    }
    controller.abort(new Error('enough'));
    await expect(following).rejects.toThrow('enough');
    expect(seen.map(nameOf)).toEqual(names);

    for await (const event of client.events({ after: seen[0]?.id ?? 0, types: ['client.created'] })) {
      expect(event).toEqual(seen[1]);
      break;
    }
  });
});

const nameOf = (event: FeedEvent | undefined): string | undefined =>
  event?.type === 'client.created' ? event.data.name : undefined;
