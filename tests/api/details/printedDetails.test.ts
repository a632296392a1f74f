import { createClient, createCompany, invoiceInput } from '../../support/factories';
import { type Caller, startApi, type TestApi } from '../../support/server';
import { Statements } from '../../support/statements';
import { renderHostedPage, renderInvoiceEmail } from '../../../shared/documents';
import { invoicePage } from '../../../shared/documents/invoiceHtml';
import { type LoadedDocument, loadInvoiceDocument } from '../../../shared/invoiceDocuments';

let api: TestApi;
let caller: Caller;
let companyId: number;
let id: number;

const details = {
  purchaseOrder: '<PO 4711>',
  buyerReference: '04011000-12345-03',
  servicePeriod: { from: '2026-01-01', to: '2026-01-31' },
  paymentTerms: 'Net 30 days',
};
const paymentInstructions = 'Bank Example\nIBAN DE02 1203 0000 0000 2020 51';

beforeAll(async () => {
  api = await startApi();
});
beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  const client = await createClient(api.services, companyId);
  await caller.put('/api/company').send({ paymentInstructions }).expect(200);
  const body = { ...invoiceInput(client.id), details };
  id = ((await caller.post('/api/invoices').send(body).expect(201)).body as { id: number }).id;
});

const load = (): Promise<LoadedDocument> => loadInvoiceDocument(api.services, companyId, id);
const links = { pdf: 'pdf', pay: 'pay', logo: null };

/** The texts of PDF and page, and those of the e-mail. */
async function printed(): Promise<{ shown: string[]; email: string[] }> {
  const { document } = await load();
  const { text, html } = renderInvoiceEmail(document);
  const page = renderHostedPage(document, { links, canPay: true, note: null }).html;
  return { shown: [invoicePage(document, null).body, page], email: [text, html] };
}

test('details › stand on PDF and page, escaped, and belong to the key of the PDF', async () => {
  const { shown } = await printed();
  for (const text of shown) {
    expect(text).toContain('&lt;PO 4711&gt;');
    expect(text).toContain('04011000-12345-03');
    expect(text).toContain('January 1 – 31, 2026');
    expect(text).toContain('Net 30 days');
  }
  const before = await load();
  await caller.put(`/api/invoices/${id}`).send({ status: 'sent' }).expect(200);
  await caller.put(`/api/invoices/${id}/details`).send({ purchaseOrder: 'PO-2' }).expect(200);
  const after = await load();
  expect(after.document.references[0]?.value).toBe('PO-2');
  expect(after.key).not.toBe(before.key);
  const { key } = after;
  await caller
    .put(`/api/invoices/${id}/details`)
    .send({ metadata: { never: 'printed' }, externalId: 'x' })
    .expect(200);
  expect((await load()).key).toBe(key);
});

test('the document of an invoice › is loaded by one statement', async () => {
  expect(await new Statements(api.services).of(load)).toHaveLength(1);
});

test('payment instructions › stand on PDF, page and e-mail while something is due, frozen once the invoice is sent', async () => {
  const lines = paymentInstructions.split('\n');
  const stands = async (): Promise<boolean[]> => {
    const { shown, email } = await printed();
    return [...shown, ...email].map((text) => lines.every((line) => text.includes(line)));
  };
  expect(await stands()).toEqual([true, true, true, true]);
  await caller.put(`/api/invoices/${id}`).send({ status: 'sent' }).expect(200);
  await caller.put('/api/company').send({ paymentInstructions: null }).expect(200);
  expect(await stands()).toEqual([true, true, true, true]);
  await caller.put(`/api/invoices/${id}`).send({ status: 'paid' }).expect(200);
  expect(await stands()).toEqual([false, false, false, false]);
});

test.each([['x'.repeat(1001)], ['line\n'.repeat(11)]])('payment instructions %j › 400', async (text) => {
  await caller.put('/api/company').send({ paymentInstructions: text }).expect(400);
});

test.each([
  ['8.875', '8.875', '17.75'],
  [0.0625, '0.0625', '0.13'],
  ['100.0000', '100.00', '200.00'],
])('a tax rate of %j › is kept as %s, and printed exactly', async (taxRate, kept, tax) => {
  const path = `/api/invoices/${id}`;
  const items = [{ description: 'One', quantity: 1, unitPrice: 200 }];
  const changed = await caller.put(path).send({ taxRate, items }).expect(200);
  expect(changed.body).toMatchObject({ taxRate: kept, tax });
  expect((await caller.get(path)).body).toMatchObject({ taxRate: kept, tax });
  // Recomputed of the stored rate.
  const again = await caller.put(path).send({ notes: 'again' }).expect(200);
  expect(again.body).toMatchObject({ taxRate: kept, tax });
  const { document } = await load();
  expect(document.taxRate).toBe(`${Number(kept)}%`);
  const made = await caller
    .post('/api/invoices')
    .send({ ...invoiceInput((changed.body as { clientId: number }).clientId), taxRate, items })
    .expect(201);
  expect(made.body).toMatchObject({ taxRate: kept, tax });
  await caller.put(path).send({ taxRate: '7' }).expect(200);
  expect((await caller.get(path)).body).toMatchObject({ taxRate: '7.00', tax: '14.00' });
});
