import { createClient, createCompany, createInvoice, invoiceInput } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let clientId: number;
let invoiceId: number;

beforeAll(async () => {
  api = await startApi();
  const { companyId, token } = await createCompany(api.services);
  caller = api.as(token);
  clientId = (await createClient(api.services, companyId)).id;
  invoiceId = (await createInvoice(api.services, companyId, { clientId })).id;
});

const item = { description: 'Work', quantity: 1, unitPrice: '10.00' };
const withItem = (changes: object): object => ({ items: [{ ...item, ...changes }] });

type Invoice = Record<'subtotal' | 'tax' | 'taxRate' | 'total' | 'notes' | 'issueDate', string> & {
  items: Record<'quantity' | 'unitPrice' | 'amount' | 'description', string>[];
};

async function accepted(changes: object): Promise<Invoice> {
  const body = { ...invoiceInput(clientId), ...changes };
  const created = await caller.post('/api/invoices').send(body).expect(201);
  const updated = await caller.put(`/api/invoices/${invoiceId}`).send(body).expect(200);
  const { subtotal, tax, taxRate, total, notes, issueDate } = created.body as Invoice;
  expect(updated.body).toMatchObject({ subtotal, tax, taxRate, total, notes, issueDate });
  return created.body as Invoice;
}

/** Refused on create and on update alike, naming the field, with nothing stored. */
async function refused(changes: object, path: string): Promise<void> {
  const before = await stored();
  for (const response of [
    await caller.post('/api/invoices').send({ ...invoiceInput(clientId), ...changes }),
    await caller.put(`/api/invoices/${invoiceId}`).send(changes),
  ]) {
    expect(response.body).toMatchObject({ status: 400, code: 'validation_failed' });
    const { errors, detail } = response.body as { errors: { path: string; message: string }[]; detail: string };
    expect(errors.map((problem) => problem.path)).toEqual([path]);
    expect(detail).toBe(`${path} ${errors[0]?.message}`);
  }
  expect(await stored()).toEqual(before);
}

function stored(): Promise<object[]> {
  return api.services.sql.rows(
    `SELECT COUNT(*) AS invoices, MAX(updatedAt) AS changed, (SELECT COUNT(*) FROM events) AS events,
       (SELECT COUNT(*) FROM invoice_items) AS items, (SELECT SUM(nextValue) FROM number_sequences) AS numbers
      FROM invoices`,
  );
}

describe('invoice › required fields', () => {
  test.each(['clientId', 'issueDate', 'dueDate', 'items'])('create without %s › 400', async (field) => {
    const { [field as 'items']: _left, ...body } = invoiceInput(clientId);
    const response = await caller.post('/api/invoices').send(body).expect(400);
    expect(response.body).toMatchObject({ errors: [{ path: field, message: 'is required' }] });
  });

  test.each(['description', 'quantity', 'unitPrice'])('an item without %s › 400', async (field) => {
    const { [field as 'quantity']: _left, ...rest } = item;
    await refused({ items: [item, rest] }, `items/1/${field}`);
  });

  test('several problems › are all named', async () => {
    const response = await caller
      .post('/api/invoices')
      .send({ clientId, dueDate: 'soon', items: [{}] })
      .expect(400);
    const paths = (response.body as { errors: { path: string }[] }).errors.map(({ path }) => path);
    expect(paths.sort()).toEqual([
      'dueDate',
      'issueDate',
      'items/0/description',
      'items/0/quantity',
      'items/0/unitPrice',
    ]);
  });
});

describe('invoice › unknown and read-only fields', () => {
  test.each(['tax_rate', 'Notes', 'foo', 'category', 'constructor'])('field %s › 400', async (name) => {
    await refused({ [name]: 1 }, name);
  });

  test.each(['price', 'tax', 'companyId'])('item field %s › 400', async (name) => {
    await refused(withItem({ [name]: 1 }), `items/0/${name}`);
  });

  test('what responses show and requests cannot set › is accepted whatever it holds, and ignored', async () => {
    const readOnly = {
      id: 'x',
      companyId: 999,
      subtotal: 1,
      tax: '99999.00',
      taxAmount: [],
      total: null,
      client: { id: 3, name: 'Mallory' },
      softDelete: true,
      paidAt: 'yesterday',
      gatewayInvoiceId: 'forged',
      gatewayInvoiceUrl: 'https://evil.example',
      createdAt: 0,
      updatedAt: {},
    };
    const items = [{ ...item, id: 1, invoiceId: 2, amount: '9.99', createdAt: null, updatedAt: false }];
    expect(await accepted({ ...readOnly, items })).toMatchObject({
      subtotal: '10.00',
      tax: '1.00',
      total: '11.00',
      softDelete: false,
      paidAt: null,
      gatewayInvoiceId: null,
      gatewayInvoiceUrl: null,
      items: [{ amount: '10.00' }],
    });
  });
});

describe('invoice › decimals', () => {
  test.each([
    [19.99, '19.99'],
    ['19.99', '19.99'],
    [4.35, '4.35'],
    [1.1, '1.10'],
    [0.07, '0.07'],
    [7, '7.00'],
    ['7.5', '7.50'],
    ['0007.50', '7.50'],
    [1e2, '100.00'],
    ['9999999999999.99', '9999999999999.99'],
    [9999999999999.99, '9999999999999.99'],
  ])('a unit price of %j › is %s', async (unitPrice, shown) => {
    const { items, subtotal } = await accepted({ ...withItem({ unitPrice }), taxRate: 0 });
    expect([items[0]?.unitPrice, items[0]?.amount, subtotal]).toEqual([shown, shown, shown]);
  });

  const noDecimals = [19.999, '19.999', 1e21, 1e-7, '1e3', 'NaN', 'Infinity', '', ' 1', '1,5', '+1', '.5', '5.', '0x1'];
  const otherTypes = [null, true, [], {}, '10000000000000', 1e13, 0.1 + 0.2];
  test.each([...noDecimals, ...otherTypes])('a unit price of %j › 400', async (unitPrice) => {
    await refused(withItem({ unitPrice }), 'items/0/unitPrice');
  });

  test.each([0, '0', '0.00', -1, '-0.01', 0.001, null, '1.005'])('a quantity of %j › 400', async (quantity) => {
    await refused(withItem({ quantity }), 'items/0/quantity');
  });

  test.each([
    [0, '0.00'],
    [100, '100.00'],
    ['11', '11.00'],
    [8.25, '8.25'],
  ])('a tax rate of %j › is %s', async (taxRate, shown) => {
    expect(await accepted({ taxRate })).toMatchObject({ taxRate: shown });
  });

  test.each([-0.01, 100.01, '8.12345', 101, null, 'ten'])('a tax rate of %j › 400', async (taxRate) => {
    await refused({ taxRate }, 'taxRate');
  });

  test('a discount line › lowers the subtotal, not below zero', async () => {
    const discount = (unitPrice: string): object => ({ items: [item, { ...item, unitPrice }] });
    expect(await accepted(discount('-10.00'))).toMatchObject({ subtotal: '0.00', tax: '0.00', total: '0.00' });
    await refused(discount('-10.01'), 'subtotal');
  });

  test.each([
    ['items/0/amount', { quantity: 2, unitPrice: '5000000000000.00' }, 0],
    ['items/0/amount', { quantity: '9999999999999.99', unitPrice: '9999999999999.99' }, 0],
    ['total', { quantity: 1, unitPrice: '9999999999999.99' }, 0.01],
  ])('a result out of bounds › 400 naming %s', async (path, changes, taxRate) => {
    await refused({ ...withItem(changes), taxRate }, path);
  });

  test('halves › are rounded away from zero at each amount, and once at the tax', async () => {
    const items = Array.from({ length: 3 }, () => ({ description: 'x', quantity: 0.5, unitPrice: 0.01 }));
    expect(await accepted({ items, taxRate: 50 })).toMatchObject({ subtotal: '0.03', tax: '0.02', total: '0.05' });
  });
});

describe('invoice › items', () => {
  test('1,000 items › are stored and returned', async () => {
    const { items, subtotal } = await accepted({ items: Array.from({ length: 1_000 }, () => item) });
    expect([items.length, subtotal]).toEqual([1_000, '10000.00']);
  });

  test.each([
    ['1,001 items', Array.from({ length: 1_001 }, () => item)],
    ['no items', []],
    ['null', null],
    ['an object', { 0: item }],
  ])('%s › 400', async (_, items) => {
    await refused({ items }, 'items');
  });

  test.each([1, null, 'x', []])('an item that is %j › 400', async (value) => {
    await refused({ items: [item, value] }, 'items/1');
  });

  test('a description of 500 characters › is stored, empty or longer ones › 400', async () => {
    const description = '🧾'.repeat(500);
    expect(await accepted(withItem({ description }))).toMatchObject({ items: [{ description }] });
    await refused(withItem({ description: 'x'.repeat(501) }), 'items/0/description');
    await refused(withItem({ description: '' }), 'items/0/description');
    await refused(withItem({ description: 7 }), 'items/0/description');
  });
});

describe('invoice › text that is printed', () => {
  const lines = (count: number): string => Array(count).fill('x').join('\n');

  test('a description of 20 lines › is stored; one more › 400', async () => {
    const description = lines(20);
    expect(await accepted(withItem({ description }))).toMatchObject({ items: [{ description }] });
    await refused(withItem({ description: lines(21) }), 'items/0/description');
  });

  test('notes of 500 lines › are stored; one more › 400', async () => {
    expect(await accepted({ notes: lines(500) })).toMatchObject({ notes: lines(500) });
    await refused({ notes: lines(501) }, 'notes');
  });
});

describe('invoice › other fields', () => {
  test.each(['2026-02-30', '2026-1-5', '2026-01-31T07:00:00.000Z', '2026-01-31T00:00:00', '', 'today', 20260131, null])(
    'an issue date of %j › 400',
    async (issueDate) => {
      await refused({ issueDate }, 'issueDate');
    },
  );

  test('a due date before the issue date › 400, on the same day › accepted', async () => {
    await refused({ issueDate: '2026-03-02', dueDate: '2026-03-01' }, 'dueDate');
    await refused({ issueDate: '2026-03-02T00:00:00.000Z', dueDate: '2026-03-01' }, 'dueDate');
    await accepted({ issueDate: '2026-03-02', dueDate: '2026-03-02T00:00:00Z' });
  });

  test.each(['idr', 'RUPIAH', 'ZZZ', '', null, 360])('currency %j › 400', async (currency) => {
    await refused({ currency }, 'currency');
  });

  test.each(['all', 'Draft', '', null, 1])('status %j › 400', async (status) => {
    await refused({ status }, 'status');
  });

  test.each(['hourly', null])('recurring %j › 400', async (recurring) => {
    await refused({ recurring }, 'recurring');
  });

  test('a next due date › may be null, not 30 February', async () => {
    expect(await accepted({ nextDueDate: null })).toMatchObject({ nextDueDate: null });
    await refused({ nextDueDate: '2026-02-30' }, 'nextDueDate');
  });

  test.each(['1', 0, -1, 1.5, null, 2 ** 60])('client %j › 400', async (value) => {
    await refused({ clientId: value }, 'clientId');
  });

  test('10,000 characters of notes, each an emoji › are stored; one more › 400', async () => {
    const notes = '🧾'.repeat(10_000);
    expect(await accepted({ notes })).toMatchObject({ notes });
    await refused({ notes: `${notes}x` }, 'notes');
  });

  test.each(['\u0000', 'a\u0007b', '\u001b[31m', '\u007f', '\u0085', '\ud800', 'x\udfff', '\udc00\ud800'])(
    'notes of %j › 400',
    async (notes) => {
      await refused({ notes }, 'notes');
    },
  );

  test('line breaks, tabs and every script › are kept as they are', async () => {
    const notes = '\tTerima kasih\r\nСпасибо ありがとう شكرا 👩‍👩‍👧 e\u0301 \u00e9';
    expect(await accepted({ notes })).toMatchObject({ notes });
  });

  test.each(['', ' ', 'a\nb', 'a\tb', 'a\u0000', 'x'.repeat(51), 7, null])('number %j › 400', async (invoiceNumber) => {
    await refused({ invoiceNumber }, 'invoiceNumber');
  });
});
