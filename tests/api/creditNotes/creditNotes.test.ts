import { getCreditNote } from '../../../shared/creditNotes';
import { CreditNote } from '../../support/models';
import type { Sql } from '../../../shared/engine/db';
import { Invoice } from '../../../shared/models';
import { createCompany } from '../../support/factories';
import { besideOtherItems } from '../../support/rows';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
});

interface CreditNoteJson {
  id: number;
  creditNoteNumber: string;
  subtotal: string;
  tax: string;
  total: string;
  items: { itemId: number | null; quantity: string; amount: string }[];
}

const items = [
  { description: 'Design', quantity: 3, unitPrice: '33.33' },
  { description: 'Hosting', quantity: '0.5', unitPrice: '100.01' },
  { description: 'Discount', quantity: 1, unitPrice: '-20.00' },
];
/** 3 × 33.33 + 0.5 × 100.01 − 20 = 130.00, 11 % tax of 14.30. */
const sent = (changes: object = {}): Promise<Subject> =>
  effects.invoice({ status: 'sent', issueDate: '2026-01-15', taxRate: 11, items, ...changes });
const pathOf = ({ invoice }: Subject): string => `/api/invoices/${invoice.id}/credit-notes`;
const credit = (subject: Subject, body: object) =>
  subject.as.post(pathOf(subject)).send({ reason: 'Returned', issueDate: '2026-02-01', ...body });
const credited = async (subject: Subject, body: object = {}): Promise<CreditNoteJson> =>
  (await credit(subject, body).expect(201)).body as CreditNoteJson;
const balanceOf = async ({ as, invoice }: Subject): Promise<object> =>
  ((await as.get(`/api/invoices/${invoice.id}/payments`).expect(200)).body as { balance: object }).balance;
const invoiceNow = ({ invoice }: Subject) => Invoice.findOne({ where: { id: invoice.id }, rejectOnEmpty: true });
const itemIds = ({ invoice }: Subject): number[] => invoice.items.map(({ id }) => id);

describe('POST /api/invoices/{id}/credit-notes', () => {
  test('a quantity of an item › is credited with its share of the tax, and is less to pay', async () => {
    const subject = await sent();
    const [design] = itemIds(subject);
    const response = await credit(subject, { items: [{ itemId: design, quantity: 1 }], notes: 'Sorry' }).expect(201);
    expect(response.headers['location']).toBe(`/api/credit-notes/${(response.body as CreditNoteJson).id}`);
    expect(response.body).toEqual({
      id: expect.any(Number) as number,
      invoiceId: subject.invoice.id,
      creditNoteNumber: 'CN-2026-00001',
      issueDate: '2026-02-01',
      reason: 'Returned',
      notes: 'Sorry',
      subtotal: '33.33',
      tax: '3.67',
      total: '37.00',
      currency: subject.invoice.currency,
      createdAt: expect.any(String) as string,
      items: [
        {
          ...{ id: expect.any(Number) as number, itemId: design, description: 'Design' },
          ...{ quantity: '1.00', unitPrice: '33.33', amount: '33.33' },
        },
      ],
    });
    expect(await balanceOf(subject)).toEqual({
      ...{ total: '144.30', credited: '37.00', paid: '0.00', due: '107.30', excess: '0.00' },
      currency: subject.invoice.currency,
    });
    expect((await invoiceNow(subject)).status).toBe('sent');
  });

  test('is read beside its first item › beside each other item there is its id alone', async () => {
    const subject = await sent();
    const { id } = await credited(subject);
    const load = (sql: Sql) => getCreditNote(sql, subject.companyId, id);
    expect(await besideOtherItems(effects.services.sql, load)).toEqual([['id'], ['id']]);
  });

  test('parts, and then everything that is left › sum up to the invoice, which is cancelled', async () => {
    const subject = await sent();
    const [design, hosting] = itemIds(subject);
    const notes = [
      await credited(subject, { items: [{ itemId: design, quantity: '1.5' }] }),
      await credited(subject, { items: [{ itemId: hosting, quantity: '0.25' }] }),
      await credited(subject),
    ];
    const cents = (name: 'subtotal' | 'tax' | 'total'): number =>
      notes.reduce((sum, note) => sum + Math.round(Number(note[name]) * 100), 0);
    expect([cents('subtotal'), cents('tax'), cents('total')]).toEqual([13_000, 1_430, 14_430]);
    expect((await invoiceNow(subject)).status).toBe('cancelled');
    const { body } = await credit(subject, {}).expect(409);
    expect(body).toMatchObject({ code: 'invoice_cancelled' });
  });

  test('an amount without an item, and then everything › is one line of the rest', async () => {
    const subject = await sent();
    await credited(subject, { items: [{ description: 'Goodwill', amount: '29.99' }] });
    const rest = await credited(subject, { reason: 'The order was cancelled' });
    expect(rest).toMatchObject({
      subtotal: '100.01',
      items: [{ itemId: null, description: 'The order was cancelled' }],
    });
    expect((await invoiceNow(subject)).credited).toBe('144.30');
  });

  test('a paid invoice › stays paid, and what was paid is excess', async () => {
    const subject = await sent();
    await subject.as.post(`/api/invoices/${subject.invoice.id}/payments`).send({ amount: '144.30' }).expect(201);
    await credited(subject);
    expect((await invoiceNow(subject)).status).toBe('paid');
    expect(await balanceOf(subject)).toMatchObject({ credited: '144.30', due: '0.00', excess: '144.30' });
  });

  test('a paid invoice of which the payment is voided › is cancelled: nothing of it is left to pay', async () => {
    const subject = await sent();
    const path = `/api/invoices/${subject.invoice.id}/payments`;
    const { body } = await subject.as.post(path).send({ amount: '144.30' }).expect(201);
    await credited(subject);
    await subject.as.delete(`${path}/${(body as { id: number }).id}`).expect(200);
    const { status, paidAt, cancelledAt } = await invoiceNow(subject);
    expect([status, paidAt]).toEqual(['cancelled', null]);
    expect(cancelledAt).not.toBeNull();
    expect(await balanceOf(subject)).toMatchObject({ due: '0.00', excess: '0.00' });
  });

  test('a part payment › pays an invoice of which the rest is credited', async () => {
    const subject = await sent({ taxRate: 0 });
    const paidAt = '2026-01-20T10:00:00.000Z';
    await subject.as
      .post(`/api/invoices/${subject.invoice.id}/payments`)
      .send({ amount: '100.00', paidAt })
      .expect(201);
    await credited(subject, { items: [{ description: 'Goodwill', amount: '30.00' }] });
    const invoice = await invoiceNow(subject);
    expect([invoice.status, invoice.paidAt?.toISOString()]).toEqual(['paid', paidAt]);
  });

  test('ten notes and ten payments at the same time › add up, and settle the invoice', async () => {
    const subject = await sent({ taxRate: 0, items: [{ description: 'Box', quantity: 20, unitPrice: '1.00' }] });
    const payments = `/api/invoices/${subject.invoice.id}/payments`;
    const note = { items: [{ itemId: itemIds(subject)[0], quantity: 1 }] };
    const requests = Array.from({ length: 10 }, (_, index) => [
      credit(subject, note).set('Idempotency-Key', `note-${index}`).expect(201),
      subject.as.post(payments).set('Idempotency-Key', `payment-${index}`).send({ amount: '1.00' }).expect(201),
    ]);
    await Promise.all(requests.flat());
    expect(await balanceOf(subject)).toMatchObject({ credited: '10.00', paid: '10.00', due: '0.00', excess: '0.00' });
    expect((await invoiceNow(subject)).status).toBe('paid');
  });

  test('an open link that asks for more than is left › is expired', async () => {
    const subject = await sent();
    const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
    await effects.runToEnd(jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').send({}).expect(202)));
    await credited(subject, { items: [{ description: 'Goodwill', amount: '30.00' }] });
    await effects.runEverything(subject.companyId);
    expect((await effects.links(subject.invoice.id)).map(({ status }) => status)).toEqual(['expired']);
  });

  test('twenty at the same time › are numbered without gaps, and credit no more than the invoice', async () => {
    const subject = await sent({ taxRate: 0, items: [{ description: 'Box', quantity: 15, unitPrice: '1.00' }] });
    const [box] = itemIds(subject);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => credit(subject, { items: [{ itemId: box, quantity: 1 }] })),
    );
    const issued = responses.filter(({ status }) => status === 201).map(({ body }) => body as CreditNoteJson);
    expect(issued.map(({ creditNoteNumber }) => creditNoteNumber).sort()).toEqual(
      Array.from({ length: 15 }, (_, index) => `CN-2026-${String(index + 1).padStart(5, '0')}`),
    );
    expect(await CreditNote.sum('total', { where: { invoiceId: subject.invoice.id } })).toBe(15);
    expect((await invoiceNow(subject)).credited).toBe('15.00');
  });

  test('numbers › follow the format of the company, apart from those of invoices', async () => {
    const subject = await sent();
    const format = { creditNoteNumberFormat: 'INV-{YYYY}-{SEQ:5}' };
    await subject.as.put('/api/company').send(format).expect(200);
    const goodwill = { items: [{ description: 'Goodwill', amount: 1 }] };
    expect((await credited(subject, goodwill)).creditNoteNumber).toBe('INV-2026-00001');
    expect((await credited(subject, goodwill)).creditNoteNumber).toBe('INV-2026-00002');
    await subject.as.put('/api/company').send({ creditNoteNumberFormat: 'INV-2026-{SEQ:5}' }).expect(200);
    expect((await credited(subject, goodwill)).creditNoteNumber).toBe('INV-2026-00003');
  });

  test('under an idempotency key › is issued once', async () => {
    const subject = await sent();
    const again = () =>
      credit(subject, { items: [{ description: 'Goodwill', amount: 1 }] }).set('Idempotency-Key', 'k');
    expect((await again().expect(201)).body).toEqual((await again().expect(201)).body);
    expect(await CreditNote.count({ where: { invoiceId: subject.invoice.id } })).toBe(1);
  });

  test('the event › has the invoice as its subject, and a sentence in the timeline', async () => {
    const subject = await sent();
    await credited(subject, { items: [{ description: 'Goodwill', amount: 1 }] });
    const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}/timeline`).expect(200);
    const { data } = body as { data: { type: string; summary: string }[] };
    expect(data.find(({ type }) => type === 'credit_note.issued')?.summary).toMatch(
      /^Credit note CN-2026-00001 issued: 1\.11 \w{3} less to pay$/,
    );
  });
});

describe('what is refused', () => {
  test.each([
    ['a draft', { status: 'draft' }, {}, 409, 'invoice_is_draft'],
    ['a cancelled invoice', { status: 'cancelled' }, {}, 409, 'invoice_cancelled'],
    ['more than is left', {}, { items: [{ description: 'x', amount: '130.01' }] }, 409, 'credit_exceeds_invoice'],
    ['an item of another invoice', {}, { items: [{ itemId: 1, quantity: 1 }] }, 400, 'validation_failed'],
    ['a day before the invoice', {}, { issueDate: '2026-01-14' }, 400, 'validation_failed'],
    ['no reason', {}, { reason: '' }, 400, 'validation_failed'],
    ['an item that is neither', {}, { items: [{ itemId: 1, amount: 1 }] }, 400, 'validation_failed'],
    ['an amount of 0', {}, { items: [{ description: 'x', amount: 0 }] }, 400, 'validation_failed'],
    ['no items', {}, { items: [] }, 400, 'validation_failed'],
  ])('%s › %o, %o', async (_, invoice, body, status, code) => {
    const subject = await sent(invoice);
    expect((await credit(subject, body).expect(status)).body).toMatchObject({ code });
    expect(await CreditNote.count({ where: { invoiceId: subject.invoice.id } })).toBe(0);
  });

  test('more of an item than is left, also in one note › 409', async () => {
    const subject = await sent();
    const [design] = itemIds(subject);
    const twice = [
      { itemId: design, quantity: 2 },
      { itemId: design, quantity: '1.01' },
    ];
    const { body } = await credit(subject, { items: twice }).expect(409);
    expect(body).toMatchObject({ code: 'credit_exceeds_invoice', detail: expect.stringContaining('1.00') as string });
  });

  test('a discount alone › 400: a note gives back something', async () => {
    const subject = await sent();
    const [, , discount] = itemIds(subject);
    await credit(subject, { items: [{ itemId: discount, quantity: 1 }] }).expect(400);
  });

  test('the 101st › 409 limit_reached', async () => {
    const subject = await sent();
    await credited(subject, { items: [{ description: 'x', amount: '0.01' }] });
    await effects.services.sql.run(
      `INSERT INTO credit_notes (companyId, invoiceId, creditNoteNumber, issueDate, reason, notes, subtotal, tax, total, currency, createdAt)
       SELECT companyId, invoiceId, CONCAT('N', seq), issueDate, reason, notes, 0, 0, 0, currency, createdAt
         FROM credit_notes JOIN (SELECT a.n * 10 + b.n AS seq FROM ${digits('a')} JOIN ${digits('b')}) s
        WHERE invoiceId = ? AND seq < 99`,
      [subject.invoice.id],
    );
    const { body } = await credit(subject, {}).expect(409);
    expect(body).toMatchObject({ code: 'limit_reached' });
  });

  test('an invoice with credit notes › what they correct and name is 409; the rest can be changed', async () => {
    const subject = await sent();
    await credited(subject, { items: [{ description: 'Goodwill', amount: 1 }] });
    const put = (body: object) => subject.as.put(`/api/invoices/${subject.invoice.id}`).send(body);
    const named = [{ invoiceNumber: 'Another' }, { issueDate: '2026-01-16' }];
    const changes = [...named, { taxRate: 10 }, { currency: 'USD' }, { status: 'draft' }, { items: items.slice(1) }];
    for (const change of changes) {
      expect((await put(change).expect(409)).body).toMatchObject({ code: 'invoice_has_credit_notes' });
    }
    const { issueDate, invoiceNumber } = subject.invoice;
    const { body } = await put({ notes: 'Thank you', items, issueDate, invoiceNumber }).expect(200);
    expect((body as Subject['invoice']).items.map(({ id }) => id)).toEqual(itemIds(subject));
  });
});

describe('lists', () => {
  test('of an invoice, of the company, and one › show the same; another company sees none', async () => {
    const subject = await sent();
    const first = await credited(subject, { items: [{ description: 'Goodwill', amount: 1 }] });
    const second = await credited(subject, { items: [{ description: 'More', amount: 2 }], issueDate: '2026-03-01' });
    const { body: ofInvoice } = await subject.as.get(pathOf(subject)).expect(200);
    expect(ofInvoice).toMatchObject({ data: [second, first], total: 2, page: 1, limit: 10, totalPages: 1 });
    const { body: all } = await subject.as.get('/api/credit-notes?issueDateFrom=2026-02-15').expect(200);
    expect((all as { data: object[] }).data).toEqual([second]);
    const { body: paged } = await subject.as.get('/api/credit-notes?cursor=&limit=1').expect(200);
    const { nextCursor } = paged as { nextCursor: string };
    const { body: last } = await subject.as.get(`/api/credit-notes?cursor=${nextCursor}&limit=1`).expect(200);
    expect(last).toMatchObject({ data: [first], nextCursor: null });
    const { text } = await subject.as
      .get(`${pathOf(subject)}?columns=creditNoteNumber,total`)
      .set('Accept', 'text/csv');
    expect(text.trimEnd().split(/\r?\n/)).toEqual([
      'creditNoteNumber,total',
      'CN-2026-00002,2.22',
      'CN-2026-00001,1.11',
    ]);
    expect((await subject.as.get(`/api/credit-notes/${first.id}`).expect(200)).body).toEqual(first);

    const { token } = await createCompany(effects.services);
    const other = effects.api.as(token);
    await other.get(`/api/credit-notes/${first.id}`).expect(404);
    await other.get(pathOf(subject)).expect(404);
    await other.post(pathOf(subject)).send({ reason: 'x' }).expect(404);
    expect((await other.get('/api/credit-notes').expect(200)).body).toMatchObject({ data: [], total: 0 });
  });
});

/** A table of the digits, named. */
function digits(name: string): string {
  const rows = Array.from({ length: 10 }, (_, digit) => `SELECT ${digit} AS n`);
  return `(${rows.join(' UNION ALL ')}) ${name}`;
}
