import files from 'node:fs/promises';
import { CHUNK_MS, piecesMs, REQUEST_MS, UNMETERED_MS, UPLOAD_MS } from '../../../api/http/limits/Limits';
import { PIECE_BYTES } from '../../../api/http/limits/OpenResponses';
import { FairQueue, WorkMeter } from '../../../shared/engine/fair';
import { queues } from '../../../config/queues';
import { createClient, createCompany, createInvoice, createKey, invoiceInput } from '../../support/factories';
import { eventually } from '../../support/eventually';
import { head, RawConnection } from '../../support/rawHttp';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let token: string;
let first: Caller;
let second: Caller;
let other: Caller;
let invoiceId: number;
let otherInvoiceId: number;
let companyId: number;
let otherCompanyId: number;
let release: () => void;
let held: number;

beforeAll(async () => {
  // Beside one other active company a company has a sixth of what it has alone: three slots of 16.
  api = await startApi({ env: { MAX_REQUESTS_PER_COMPANY: '16', DATABASE_POOL_SIZE: '20' } });
  const own = await createCompany(api.services);
  ({ companyId } = own);
  ({ token } = own);
  first = api.as(token);
  second = api.as((await createKey(api.services, companyId)).token);
  invoiceId = (await createInvoice(api.services, companyId)).id;
  const company = await createCompany(api.services);
  other = api.as(company.token);
  otherCompanyId = company.companyId;
  otherInvoiceId = (await createInvoice(api.services, otherCompanyId)).id;
});

/** Lists take until `release`, as if MySQL were busy with them. */
beforeEach(() => {
  held = 0;
  const until = new Promise<void>((resolve) => (release = resolve));
  const { sql } = api.services;
  const rowsWithin = sql.rowsWithin.bind(sql);
  jest.spyOn(sql, 'rowsWithin').mockImplementation(async (...statement) => {
    held += 1;
    await until;
    return rowsWithin<never>(...statement);
  });
});
afterEach(() => release());

/** Another company's list is held: nobody is alone until the release. */
async function listOfAnother(): Promise<Promise<number>[]> {
  const list = status(other.get('/api/invoices'));
  await eventually(() => held === 1);
  return [list];
}
const visitOfAnother = (): Promise<unknown> => other.get(`/api/invoices/${otherInvoiceId}`).expect(200);
const status = (request: PromiseLike<{ status: number }>): Promise<number> =>
  Promise.resolve(request).then((response) => response.status);

test('a company with many slow requests › runs three at a time; all succeed, and another company does not notice', async () => {
  const [others] = await listOfAnother();
  const slow = Array.from({ length: 10 }, (_, n) => status((n % 2 ? first : second).get('/api/invoices')));
  await eventually(() => held === 1 + 3);
  const inLine = status(first.get(`/api/invoices/${invoiceId}`));
  for (let n = 0; n < 20; n++) await visitOfAnother();
  expect(held).toBe(1 + 3);
  release();
  expect(new Set(await Promise.all([others, ...slow, inLine]))).toEqual(new Set([200]));
});

test('the statements and transactions of a request are measured', async () => {
  const clientId = (await createClient(api.services, companyId)).id;
  const rows = jest.spyOn(api.services.sql, 'rows');
  const run = jest.spyOn(api.services.sql, 'run');
  const perform = jest.spyOn(api.services, 'perform');
  await first.get(`/api/invoices/${invoiceId}`).expect(200);
  await first.post('/api/invoices').set('Idempotency-Key', 'measured').send(invoiceInput(clientId)).expect(201);
  const reads = rows.mock.calls.filter(([text]) => text.includes('FROM invoices'));
  const statements = [...reads, ...run.mock.calls.filter(([text]) => text.includes('idempotency_keys'))];
  const meters = [...statements.map(([, , meter]) => meter), ...perform.mock.calls.map(([{ meter }]) => meter)];
  // The read, the claim of the key and the create.
  expect(meters.map((meter) => meter instanceof WorkMeter)).toEqual([true, true, true]);
});

test('what a request took is charged to its company › an invoice of 1,000 items more than ten reads of another company', async () => {
  const clientId = (await createClient(api.services, companyId)).id;
  const end = jest.spyOn(FairQueue.prototype, 'end');
  const chargedTo = (company: number): number =>
    end.mock.calls.filter(([{ key }]) => key === company).reduce((sum, [, tookMs]) => sum + tookMs, 0);
  const items = Array.from({ length: 1_000 }, () => ({ description: 'x'.repeat(500), quantity: 1, unitPrice: '1.00' }));
  const create = first.post('/api/invoices').send({ ...invoiceInput(clientId), items });
  const reads = Array.from({ length: 10 }, visitOfAnother);
  await Promise.all([create.expect(201), ...reads]);
  expect(chargedTo(otherCompanyId)).toBeGreaterThan(0);
  expect(chargedTo(companyId)).toBeGreaterThan(chargedTo(otherCompanyId));
});

test('a response that is sent in pieces after its turn › is charged for them', async () => {
  const clientId = (await createClient(api.services, companyId)).id;
  const items = Array.from({ length: 400 }, () => ({ description: 'x'.repeat(500), quantity: 1, unitPrice: '1.00' }));
  const { body } = await first
    .post('/api/invoices')
    .send({ ...invoiceInput(clientId), items })
    .expect(201);
  const add = jest.spyOn(WorkMeter.prototype, 'add');
  const { id } = body as { id: number };
  const { text } = await first.get(`/api/invoices/${id}`).set('Accept-Encoding', 'identity').expect(200);
  const bytes = Buffer.byteLength(text);
  expect(bytes).toBeGreaterThan(3 * PIECE_BYTES);
  expect(add).toHaveBeenCalledWith(piecesMs(bytes));
});

test('every request › counts what no meter sees of it', async () => {
  const add = jest.spyOn(WorkMeter.prototype, 'add');
  expect(await status(first.get(`/api/invoices/${invoiceId}`))).toBe(200);
  expect(add.mock.calls).toEqual([[REQUEST_MS]]);
});

test('calls of the file store › count, also while the request has given its slot up', async () => {
  jest.replaceProperty(api.services.files, 'callMs', 10_000);
  jest.spyOn(api.services.pauses, 'has').mockResolvedValue(true);
  const company = await createCompany(api.services);
  const { id } = await createInvoice(api.services, company.companyId);
  const end = jest.spyOn(FairQueue.prototype, 'end');
  expect(await status(api.as(company.token).get(`/api/invoices/${id}/pdf`))).toBe(503);
  const charges = end.mock.calls.filter(([{ key }]) => key === company.companyId);
  // It opens the file, and then tests whether there is one by now.
  expect(charges.reduce((sum, [, tookMs]) => sum + tookMs, 0)).toBeGreaterThanOrEqual(2 * 10_000);
});

test('the chunks of a body › count as what receiving them takes', async () => {
  const charge = jest.spyOn(FairQueue.prototype, 'chargeFor');
  const connection = await RawConnection.open(api.url);
  const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
  await connection.send(head('POST', '/api/invoices', token, headers));
  for (let chunk = 0; chunk < 3; chunk++) await connection.send(`40\r\n${' '.repeat(64)}\r\n`);
  await connection.send('0\r\n\r\n');
  await eventually(() => charge.mock.calls.filter(([, ms]) => ms === CHUNK_MS).length === 3);
  expect(charge).toHaveBeenCalledWith(companyId, CHUNK_MS);
  connection.socket.destroy();
});

test('a job that a request records › counts as what it costs a worker', async () => {
  const add = jest.spyOn(WorkMeter.prototype, 'add');
  const send = first.post(`/api/invoices/${invoiceId}/send-email`).set('Prefer', 'respond-async');
  expect(await status(send)).toBe(202);
  expect(add).toHaveBeenCalledWith(queues.email.costMs);
});

describe('a request that is refused before its turn', () => {
  const form = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const part = '--x\r\nContent-Disposition: form-data; name=file; filename=a\r\n\r\n\r\n';
  const upload = (type: string, body: string): Promise<number> =>
    status(first.post('/api/receipts').set('Content-Type', type).send(body));

  test.each<[number, number, () => Promise<number>]>([
    [404, UNMETERED_MS, () => status(first.get('/api/nowhere'))],
    [405, UNMETERED_MS, () => status(first.patch('/api/invoices'))],
    [406, UNMETERED_MS, () => status(first.get('/api/invoices').set('Accept', 'image/png'))],
    [415, UNMETERED_MS, () => status(first.post('/api/invoices').type('text/plain').send('x'))],
    [413, UNMETERED_MS, () => status(first.post('/api/invoices').send({ notes: 'x'.repeat(2 ** 20) }))],
    [415, UNMETERED_MS, () => upload('text/plain', 'x')],
    [400, UPLOAD_MS, () => upload(form['Content-Type'], '--x--\r\n')],
    [400, UPLOAD_MS, () => upload(form['Content-Type'], `${part}--x--\r\n`)],
  ])('%i › is charged %i ms, once', async (expected, ms, send) => {
    const end = jest.spyOn(FairQueue.prototype, 'end');
    expect(await send()).toBe(expected);
    const charges = end.mock.calls.map(([{ key }, tookMs]) => ({ key, isCharged: tookMs >= ms }));
    expect(charges).toEqual([{ key: companyId, isCharged: true }]);
  });

  test('waits for the slots of its company, and only of it; 401 needs none', async () => {
    const [others] = await listOfAnother();
    const slow = [1, 2, 3].map(() => status(first.get('/api/invoices')));
    await eventually(() => held === 1 + 3);
    const seen: number[] = [];
    const refused = [first.get('/api/nowhere'), first.patch('/api/invoices')].map((request) =>
      status(request).then((code) => seen.push(code)),
    );
    await api.as('inv_wrong').get('/api/invoices').expect(401);
    await other.get('/api/nowhere').expect(404);
    expect(seen).toEqual([]);
    release();
    expect(await Promise.all([others, ...slow])).toEqual([200, 200, 200, 200]);
    await Promise.all(refused);
    expect(seen.sort()).toEqual([404, 405]);
  });

  test('whose client leaves › is charged without a turn', async () => {
    const charge = jest.spyOn(FairQueue.prototype, 'chargeFor');
    const connection = await RawConnection.open(api.url);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': 10 };
    await connection.send(`${head('POST', '/api/invoices', token, headers)}{`);
    connection.socket.destroy();
    const charges = (): unknown[] => charge.mock.calls.filter(([, ms]) => ms !== CHUNK_MS);
    await eventually(() => charges().length === 1);
    expect(charges()).toEqual([[companyId, UNMETERED_MS]]);
  });
});

test('an upload without a file › makes no folder', async () => {
  const folder = jest.spyOn(files, 'mkdtemp');
  const send = (body: string): Promise<number> =>
    status(first.post('/api/receipts').set('Content-Type', 'multipart/form-data; boundary=x').send(body));
  expect(await send('--x--\r\n')).toBe(400);
  expect(folder).not.toHaveBeenCalled();
});
