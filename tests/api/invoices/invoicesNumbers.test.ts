import { createClient, createCompany, invoiceInput } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';
import { Statements } from '../../support/statements';

let api: TestApi;
let caller: Caller;
let companyId: number;
let clientId: number;

beforeAll(async () => {
  api = await startApi();
});

async function company(invoiceNumberFormat?: string): Promise<void> {
  const { token, ...made } = await createCompany(api.services, invoiceNumberFormat ? { invoiceNumberFormat } : {});
  caller = api.as(token);
  companyId = made.companyId;
  clientId = (await createClient(api.services, companyId)).id;
}

beforeEach(() => company());

interface Numbered {
  id: number;
  invoiceNumber: string;
}

async function create(changes: object = {}): Promise<Numbered> {
  const response = await caller.post('/api/invoices').send({ ...invoiceInput(clientId), ...changes });
  expect([response.status, (response.body as { detail?: string }).detail]).toEqual([201, undefined]);
  return response.body as Numbered;
}

const numbers = async (count: number, changes: object = {}): Promise<string[]> => {
  const made: string[] = [];
  for (let n = 0; n < count; n++) made.push((await create(changes)).invoiceNumber);
  return made;
};

async function conflict(invoiceNumber: string): Promise<void> {
  const response = await caller
    .post('/api/invoices')
    .send({ ...invoiceInput(clientId), invoiceNumber })
    .expect(409);
  expect(response.body).toMatchObject({ code: 'duplicate_invoice_number' });
}

describe('invoice numbers › assigned by the service', () => {
  test('40 creates at the same time on a new series › are numbered 1 to 40 without a gap', async () => {
    const made = await Promise.all(Array.from({ length: 40 }, () => create()));
    const expected = Array.from({ length: 40 }, (_, n) => `INV-2026-${String(n + 1).padStart(5, '0')}`);
    expect(made.map(({ invoiceNumber }) => invoiceNumber).sort()).toEqual(expected);
  });

  test('creates that fail in between › leave no gap', async () => {
    const failing = { ...invoiceInput(clientId), dueDate: '2020-01-01' };
    const all = Array.from({ length: 12 }, async (_, n) => {
      if (n % 3 === 0) await caller.post('/api/invoices').send(failing).expect(400);
      else if (n % 3 === 1)
        await caller
          .post('/api/invoices')
          .send({ ...invoiceInput(2 ** 40) })
          .expect(400);
      else await create();
    });
    await Promise.all(all);
    expect(await numbers(1)).toEqual(['INV-2026-00005']);
  });

  test('each year of the issue date › counts on its own, whatever the order', async () => {
    expect(await numbers(2, { issueDate: '2026-01-01' })).toEqual(['INV-2026-00001', 'INV-2026-00002']);
    expect(await numbers(1, { issueDate: '2025-12-31' })).toEqual(['INV-2025-00001']);
    expect(await numbers(1, { issueDate: '2026-01-31' })).toEqual(['INV-2026-00003']);
  });

  test('a format with the month › restarts with each month', async () => {
    await company('{MM}/{YYYY}/{SEQ:3}');
    expect(await numbers(2, { issueDate: '2026-01-31' })).toEqual(['01/2026/001', '01/2026/002']);
    expect(await numbers(1, { issueDate: '2026-02-01' })).toEqual(['02/2026/001']);
    expect(await numbers(1, { issueDate: '2025-01-31' })).toEqual(['01/2025/001']);
  });

  test('a format without them › never restarts', async () => {
    await company('No {SEQ:1}');
    expect(await numbers(1, { issueDate: '2025-06-01' })).toEqual(['No 1']);
    expect(await numbers(10, { issueDate: '2026-01-01' })).toContain('No 11');
  });

  test('companies › count on their own, and may use the same numbers', async () => {
    expect(await numbers(2)).toEqual(['INV-2026-00001', 'INV-2026-00002']);
    await company();
    expect(await numbers(1)).toEqual(['INV-2026-00001']);
    await create({ invoiceNumber: 'INV-2026-00002' });
  });

  test('numbers that callers took › are passed over, and no other', async () => {
    for (const taken of ['INV-2026-00001', 'INV-2026-00003', 'INV-2026-00004']) await create({ invoiceNumber: taken });
    expect(await numbers(2)).toEqual(['INV-2026-00002', 'INV-2026-00005']);
  });

  test('any number of numbers that callers took › are passed over in few statements', async () => {
    const { id } = await create({ invoiceNumber: 'first' });
    const digits = '(SELECT 0 n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5)';
    await api.services.sql.run(
      `INSERT INTO invoice_numbers (companyId, invoiceId, invoiceNumber)
        SELECT ?, ?, CONCAT('INV-2026-', LPAD(1 + a.n + 6 * b.n + 36 * c.n + 216 * d.n, 5, '0'))
          FROM ${digits} a, ${digits} b, ${digits} c, ${digits} d`,
      [companyId, id],
    );
    const sent = await new Statements(api.services).of(async () => {
      expect(await numbers(1)).toEqual(['INV-2026-01297']);
    });
    expect(sent.length).toBeLessThan(60);
    expect(await numbers(1)).toEqual(['INV-2026-01298']);
  });

  test('numbers assigned and taken at the same time › are never the same', async () => {
    const chosen = Array.from({ length: 10 }, (_, n) =>
      caller
        .post('/api/invoices')
        .send({ ...invoiceInput(clientId), invoiceNumber: `INV-2026-${String(2 * n + 1).padStart(5, '0')}` }),
    );
    const assigned = await Promise.all(Array.from({ length: 10 }, () => create()));
    const taken = (await Promise.all(chosen))
      .filter(({ status }) => status === 201)
      .map(({ body }) => body as Numbered);
    const all = [...assigned, ...taken].map(({ invoiceNumber }) => invoiceNumber);
    expect(new Set(all).size).toBe(all.length);
    const last = Math.max(...assigned.map(({ invoiceNumber }) => Number(invoiceNumber.slice(-5))));
    for (let n = 1; n <= last; n++) expect(all).toContain(`INV-2026-${String(n).padStart(5, '0')}`);
  });
});

describe('invoice numbers › chosen by callers', () => {
  test('the same number again › 409', async () => {
    await create({ invoiceNumber: 'A-1' });
    await conflict('A-1');
  });

  test('other bytes › are another number: case, accents, composition, spaces around', async () => {
    for (const invoiceNumber of ['Café', 'café', 'Cafe', 'Cafe\u0301', 'Café ', ' Café', 'Ｃａｆé', 'Cafß', 'Cafss']) {
      expect((await create({ invoiceNumber })).invoiceNumber).toBe(invoiceNumber);
    }
    await conflict('Café ');
    await conflict('cafe'.replace('e', 'é'));
  });

  test('50 characters of four bytes › are a number', async () => {
    const invoiceNumber = '🧾'.repeat(50);
    await create({ invoiceNumber });
    await conflict(invoiceNumber);
  });

  test('the number of a deleted invoice › stays used', async () => {
    const { id } = await create({ invoiceNumber: 'A-1' });
    await caller.delete(`/api/invoices/${id}`).expect(200);
    await conflict('A-1');
  });

  test('a number that an invoice was renamed from › stays used, by others', async () => {
    const { id } = await create({ invoiceNumber: 'A-1' });
    await caller.put(`/api/invoices/${id}`).send({ invoiceNumber: 'A-2' }).expect(200);
    await conflict('A-1');
    await conflict('A-2');
    const back = await caller.put(`/api/invoices/${id}`).send({ invoiceNumber: 'A-1' }).expect(200);
    expect(back.body).toMatchObject({ invoiceNumber: 'A-1' });
    await conflict('A-2');
  });

  test('an assigned number that was renamed › is not assigned again', async () => {
    const { id } = await create();
    await caller.put(`/api/invoices/${id}`).send({ invoiceNumber: 'mine' }).expect(200);
    expect(await numbers(1)).toEqual(['INV-2026-00002']);
    await conflict('INV-2026-00001');
  });

  test('renaming to a used number › 409, and nothing else of the request is stored', async () => {
    await create({ invoiceNumber: 'A-1' });
    const { id } = await create({ invoiceNumber: 'A-2' });
    const response = await caller
      .put(`/api/invoices/${id}`)
      .send({ notes: 'changed', invoiceNumber: 'A-1' })
      .expect(409);
    expect(response.body).toMatchObject({ code: 'duplicate_invoice_number' });
    const { body } = await caller.get(`/api/invoices/${id}`).expect(200);
    expect(body).toMatchObject({ invoiceNumber: 'A-2', notes: 'Thank you' });
  });

  test('a number of a create that failed › is free', async () => {
    await caller
      .post('/api/invoices')
      .send({ ...invoiceInput(2 ** 40), invoiceNumber: 'A-1' })
      .expect(400);
    await create({ invoiceNumber: 'A-1' });
  });

  test('20 creates at the same time with one number › one wins, the others get 409', async () => {
    const body = { ...invoiceInput(clientId), invoiceNumber: 'race' };
    const responses = await Promise.all(Array.from({ length: 20 }, () => caller.post('/api/invoices').send(body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
  });
});
