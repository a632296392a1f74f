import { createInvoice, getInvoice } from '../../../shared/invoices';
import type { InvoiceInput } from '../../../shared/invoices';
import type { Services } from '../../../shared/services';
import { createClient, createCompany, invoiceInput } from '../../support/factories';
import { openTestServices } from '../../support/installation';

const items = Array.from({ length: 60 }, (_, at) => ({
  description: `Item ${at}`,
  quantity: at + 1,
  unitPrice: '1.5',
}));
let services: Services;
let companyId: number;
let clientId: number;

beforeAll(async () => {
  services = await openTestServices();
  ({ companyId } = await createCompany(services));
  clientId = (await createClient(services, companyId)).id;
});

const changes: Record<string, Partial<InvoiceInput>> = {
  'an invoice': {},
  'another one of the series': {},
  'many items': { items },
  'three items': { items: items.slice(0, 3) },
  'a number of the caller': { invoiceNumber: 'OUR-17', items: items.slice(0, 2) },
  'a paid one': { status: 'paid', taxRate: '8.875' },
  'a series': { recurring: 'monthly', currency: 'USD' },
};

describe('a created invoice is the one that is stored', () => {
  test.each(Object.keys(changes))('%s', async (name) => {
    const { id, ...created } = await services.perform({ companyId, actor: 'test' }, (uow) =>
      createInvoice(uow, invoiceInput(clientId, changes[name])),
    );
    const stored = await getInvoice(services.sql, companyId, id);
    // MySQL omits the milliseconds of a whole second.
    const exact = (time: string | null): string | null => time?.padEnd(19).slice(0, 19) ?? null;
    const timesOf = ({ createdAt, updatedAt, paidAt }: typeof stored) => [createdAt, updatedAt, paidAt].map(exact);
    expect(timesOf({ id, ...created })).toEqual(timesOf(stored));
    const { createdAt: _, updatedAt: __, paidAt: ___, items: storedItems, ...fields } = stored;
    expect({ id, ...created }).toMatchObject(fields);
    const shown = (of: typeof storedItems) => of.map((item) => ({ ...item, createdAt: '', updatedAt: '' }));
    expect(shown(created.items)).toEqual(shown(storedItems));
  });

  test('where ids of items do not follow one another › they are read', async () => {
    const created = await services.perform({ companyId, actor: 'test' }, async (uow) => {
      await uow.sql.run('SET SESSION auto_increment_increment = 3');
      try {
        return await createInvoice(uow, invoiceInput(clientId, { items: items.slice(0, 4) }));
      } finally {
        await uow.sql.run('SET SESSION auto_increment_increment = 1');
      }
    });
    const stored = await getInvoice(services.sql, companyId, created.id);
    expect(created.items.map(({ id }) => id)).toEqual(stored.items.map(({ id }) => id));
    expect(created.invoiceNumber).toBe(stored.invoiceNumber);
    expect((created.items[3]?.id ?? 0) - (created.items[0]?.id ?? 0)).toBe(9);
  });
});

test('a new series, then a number that a caller took › is counted once', async () => {
  const own = (await createCompany(services)).companyId;
  const { id: client } = await createClient(services, own);
  const create = (input: Partial<InvoiceInput>) =>
    services.perform({ companyId: own, actor: 'test' }, (uow) => createInvoice(uow, invoiceInput(client, input)));
  const numbers = [];
  for (const input of [{}, { invoiceNumber: 'INV-2026-00002' }, {}, {}]) {
    numbers.push((await create(input)).invoiceNumber);
  }
  expect(numbers).toEqual(['INV-2026-00001', 'INV-2026-00002', 'INV-2026-00003', 'INV-2026-00004']);
  const [counted] = await services.sql.rows<{ total: string }>(
    "SELECT SUM(total) AS total FROM record_counts WHERE companyId = ? AND kind = 'invoice'",
    [own],
  );
  expect(Number(counted?.total)).toBe(4);
});
