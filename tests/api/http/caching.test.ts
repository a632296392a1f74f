import { createCompany, createInvoice } from '../../support/factories';
import { png } from '../../support/images';
import { startApi, type Caller, type TestApi } from '../../support/server';
import { pdfFileKey } from '../../../shared/invoiceDocuments/invoicePdf';
import { loadInvoiceDocument } from '../../../shared/invoiceDocuments/loadInvoiceDocument';

let api: TestApi;
let caller: Caller;
let companyId: number;
let invoiceId: number;

beforeAll(async () => {
  api = await startApi();
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  invoiceId = (await createInvoice(api.services, companyId)).id;
});

describe('Cache-Control', () => {
  test.each([
    ['a record', 200, () => caller.get(`/api/invoices/${invoiceId}`)],
    ['a list', 200, () => caller.get('/api/invoices')],
    ['an error', 404, () => caller.get('/api/invoices/0')],
    ['an unknown route', 404, () => caller.get('/api/nowhere')],
    ['a missing key', 401, () => api.as().get('/api/invoices')],
    ['a write', 200, () => caller.put(`/api/invoices/${invoiceId}`).send({})],
  ])('%s › no-store', async (_, status, request) => {
    const { headers } = await request().expect(status);
    expect(headers['cache-control']).toBe('no-store');
  });

  test('the logo, receipts and PDFs › private, no-cache: a browser asks with the ETag', async () => {
    await caller.put('/api/company/logo').attach('logo', png(), 'a.png').expect(200);
    const { body } = await caller.post('/api/receipts').attach('file', png(), 'a').expect(201);
    const { key } = await loadInvoiceDocument(api.services, companyId, invoiceId);
    await api.services.files.put(pdfFileKey(companyId, key), Buffer.from('%PDF-'));
    for (const path of [
      '/api/company/logo',
      `/api/receipts/${(body as { id: number }).id}`,
      `/api/invoices/${invoiceId}/pdf`,
    ]) {
      const { headers } = await caller.get(path).expect(200);
      expect([path, headers['cache-control']]).toEqual([path, 'private, no-cache']);
      const again = await caller.get(path).set('If-None-Match', String(headers['etag'])).expect(304);
      expect(again.headers).toMatchObject({ etag: headers['etag'], 'cache-control': 'private, no-cache' });
    }
  });

  test('a conditional GET › still 304', async () => {
    const path = `/api/invoices/${invoiceId}`;
    const { headers } = await caller.get(path).expect(200);
    const again = await caller.get(path).set('If-None-Match', String(headers['etag'])).expect(304);
    expect(again.headers['cache-control']).toBe('no-store');
  });
});
