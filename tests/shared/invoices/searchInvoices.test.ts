import { invoiceList } from '../../../shared/invoices/record';
import { placeIn, searchInvoices } from '../../../shared/invoices/searchInvoices';
import type { Services } from '../../../shared/services';
import { createClient, createCompany, createInvoice } from '../../support/factories';
import { openTestServices } from '../../support/installation';

describe('where a text can be in the numbers of a shape', () => {
  test.each([
    ['INV-0-0', 'INV-2026', 'at the beginning'],
    ['INV-0-0', 'inv-2026-00017', 'at the beginning'],
    ['INV-0-0', 'INV', 'at the beginning'],
    ['INV-0-0', 'NV-2026', 'anywhere'],
    ['INV-0-0', '-', 'anywhere'],
    ['INV-0-0', '2026-0', 'anywhere'],
    ['INV-0-0', 'Acme', 'nowhere'],
    ['INV-0-0', 'INV-2026-00017-2', 'nowhere'],
    ['0/0', '2026/1', 'anywhere'],
    ['A0A0', 'a1', 'anywhere'],
    // Equal to ASCII for the collation.
    ['INV-0-0', 'ÍNV', 'anywhere'],
    ['INV-0-0', '２０２６', 'anywhere'],
    // Spaces at the end do not make another shape.
    ['INV-0', 'INV-1 ', 'at the beginning'],
  ])('%s, %s › %s', (shape, text, place) => expect(placeIn(shape, text)).toBe(place));
});

describe('a search of invoices', () => {
  let services: Services;
  let companyId: number;
  const numbers = [
    ...[
      'INV-2026-00017',
      'INV-2026-00018',
      'inv-2026-100017',
      'XINV-2026-00017',
      'INV-2026-00017-B',
      '2026/00017',
      '17',
    ],
    ...[
      'ÍNV-2026-00017',
      'INV-２０２６',
      'Straße 17',
      '100%',
      '10_0',
      '1000',
      'a!b',
      'A B',
      'AB',
      'MÜNCHEN 1',
      'munchen 2',
    ],
  ];
  const texts = [
    ...[
      'INV-2026-00017',
      'inv-2026',
      'INV',
      'nv-2026',
      '2026',
      '26-0001',
      '17',
      '00017',
      '7',
      '-',
      'B',
      'ínv',
      'INV-2026-0',
      '%',
      '_',
    ],
    ...[
      '0%',
      '10_',
      '!',
      'a!',
      ' ',
      'a ',
      'A B',
      'strasse',
      'straß',
      'mun',
      'MÜN',
      '２０',
      'zzz',
      'Café',
      'cafe',
      'Lagoon 1',
      '1',
    ],
  ];
  beforeAll(async () => {
    services = await openTestServices();
    ({ companyId } = await createCompany(services));
    const other = (await createCompany(services)).companyId;
    const clients = await Promise.all(
      ['Blue Lagoon Café', 'Lagoon 17', 'AB'].map((name) => createClient(services, companyId, { name })),
    );
    for (const [index, invoiceNumber] of numbers.entries()) {
      await createInvoice(services, companyId, { invoiceNumber, clientId: clients[index % 3]?.id ?? 0 });
      await createInvoice(services, other, { invoiceNumber });
    }
  });

  const compared = async (text: string): Promise<number[]> => {
    const within = `%${text.replace(/[!%_]/g, '!$&')}%`;
    const rows = await services.sql.rows<{ id: number }>(
      `SELECT i.id FROM invoices i JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId WHERE i.companyId = ?
        AND (i.invoiceNumber COLLATE utf8mb4_unicode_520_ci LIKE ? ESCAPE '!' OR c.name LIKE ? ESCAPE '!') ORDER BY i.id`,
      [companyId, within, within],
    );
    return rows.map(({ id }) => id);
  };
  const found = async (text: string, most = 500): Promise<number[] | null> =>
    (await searchInvoices(services.sql, companyId, text, most))?.toSorted((a, b) => a - b) ?? null;

  test.each(texts)('%p › finds what a comparison with each invoice finds', async (text) => {
    expect(await found(text)).toEqual(await compared(text));
  });

  test('that finds more than are wanted › finds none, and the list compares each', async () => {
    expect(await found('17', 3)).toBeNull();
    const page = { limit: 100, sortBy: 'createdAt', sortOrder: 'desc', status: 'all' } as const;
    await services.sql.run(
      `INSERT INTO invoices (companyId, clientId, invoiceNumber, status, issueDate, dueDate, subtotal, tax, taxRate, total, notes, currency,
          recurring, createdAt, updatedAt)
        SELECT companyId, clientId, CONCAT('Many ', n), status, issueDate, dueDate, subtotal, tax, taxRate, total, notes, currency,
          recurring, createdAt, updatedAt FROM invoices,
          (WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 600) SELECT n FROM n) numbers
          WHERE companyId = ? AND invoiceNumber = '17'`,
      [companyId],
    );
    expect(await found('many')).toBeNull();
    expect(await invoiceList.read(services.sql, companyId, { ...page, search: 'many' })).toMatchObject({ total: 600 });
    expect(await invoiceList.read(services.sql, companyId, { ...page, search: 'many 60' })).toMatchObject({ total: 2 });
  });

  test('of numbers of more shapes than are told apart › finds the same', async () => {
    for (const letter of 'ABCDEFGHIJKLMNOPQRSTUV')
      await createInvoice(services, companyId, { invoiceNumber: `${letter}-2026` });
    for (const text of ['K-2026', '-2026', 'inv-2026-00017', 'zzz'])
      expect(await found(text)).toEqual(await compared(text));
  });
});
