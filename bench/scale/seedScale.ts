import { createCategory } from '../../shared/categories';
import { createCompany } from '../../shared/companies';
import type { Services } from '../../shared/services';

/** The company whose lists are read, beside many small ones. */
export interface Scale {
  readonly companyId: number;
  readonly firstClient: number;
  readonly firstInvoice: number;
  readonly endpointId: number;
}

const actor = 'bench';
/** Rows of one statement. */
const BATCH = 50_000;
const COLUMNS_OF_TIME = "'2026-01-01' + INTERVAL n SECOND, '2026-01-01' + INTERVAL n SECOND";

/**
 * Adds `count` invoices of an item each by SQL alone, half of them of one company and half of `others`, with a fifth as
 * many clients, and as many expenses, numbered events and delivered webhooks. Calls `report` with the number of
 * invoices so far.
 */
export async function seedScale(
  services: Services,
  { count, others, report }: { count: number; others: number; report: (invoices: number) => void },
): Promise<Scale> {
  const bigHalf = Math.ceil(count / 2);
  const share = Math.max(1, Math.floor((count - bigHalf) / others));
  let done = 0;
  const seed = async (invoices: number): Promise<Scale> => {
    const scale = await seedCompany(services, invoices);
    report((done += invoices));
    return scale;
  };
  const scale = await seed(bigHalf);
  for (let index = 0; index < others; index++) await seed(share);
  await services.sequelize.query(
    'ANALYZE TABLE clients, invoices, invoice_items, expenses, record_counts, events, webhook_deliveries',
  );
  return scale;
}

async function seedCompany(services: Services, invoices: number): Promise<Scale> {
  const { id: companyId } = await services.performForInstallation(actor, (work) =>
    createCompany(work, { name: 'Northwind Trading' }),
  );
  const category = await services.perform({ companyId, actor }, (uow) => createCategory(uow, { name: 'Travel' }));
  const clients = Math.max(1, Math.floor(invoices / 5));
  const add = adder(services);
  const clientsBefore = await newest(services, 'clients');
  await add(
    clients,
    `clients (id, companyId, name, email, createdAt, updatedAt)`,
    `${clientsBefore} + 1 + n, ${companyId}, CONCAT(ELT(1 + n % 5, 'Acme Supplies', 'Blue Lagoon Café', 'Toko Sinar Jaya',
      'Fjord Engineering', 'Maple & Sons'), ' ', n + 1), CONCAT('accounts-', n + 1, '@client.example'), ${COLUMNS_OF_TIME}`,
  );
  const invoicesBefore = await newest(services, 'invoices');
  const status = "ELT(1 + n % 10, 'sent', 'paid', 'sent', 'sent', 'overdue', 'sent', 'draft', 'paid', 'paid', 'sent')";
  await add(
    invoices,
    `invoices (id, companyId, clientId, invoiceNumber, status, issueDate, dueDate, subtotal, tax, taxRate, total, notes, currency,
      recurring, sentAt, softDelete, createdAt, updatedAt)`,
    `${invoicesBefore} + 1 + n, ${companyId}, ${clientsBefore} + 1 + n % ${clients}, CONCAT('INV-2026-', LPAD(n + 1, 5, '0')), ${status},
      '2025-01-01' + INTERVAL n % 365 DAY, '2025-02-01' + INTERVAL n % 365 DAY, 100, 11, 11, 111, '', 'IDR', 'none',
      '2025-01-01', n % 1000 = 999, ${COLUMNS_OF_TIME}`,
  );
  await add(
    invoices,
    'invoice_items (companyId, invoiceId, position, description, quantity, unitPrice, amount, createdAt, updatedAt)',
    `${companyId}, ${invoicesBefore} + 1 + n, 0, 'Consulting', 1, 100, 100, ${COLUMNS_OF_TIME}`,
  );
  await add(
    invoices,
    `expenses (companyId, categoryId, vendor, description, amount, currency, expenseDate, status, recurring, softDelete, createdAt,
      updatedAt)`,
    `${companyId}, ${category.id}, CONCAT('Vendor ', n % 100), 'Office supplies', 100, 'IDR', '2025-01-01' + INTERVAL n % 365 DAY,
      ELT(1 + n % 3, 'approved', 'pending', 'rejected'), 'none', 0, ${COLUMNS_OF_TIME}`,
  );
  await add(
    invoices,
    'events (companyId, type, actor, subjectType, subjectId, data, createdAt, seq)',
    `${companyId}, 'invoice.created', 'api-key:1', 'invoice', ${invoicesBefore} + 1 + n, '{"invoiceNumber":"INV-2026-00001"}',
      '2026-01-01' + INTERVAL n SECOND, ${invoicesBefore} + 1 + n`,
  );
  const endpointId = await addEndpoint(services, companyId);
  await add(
    invoices,
    'webhook_deliveries (companyId, endpointId, eventId, type, isReplay, status, attempts, createdAt, endedAt)',
    `${companyId}, ${endpointId}, ${invoicesBefore} + 1 + n, 'invoice.created', 0, 'delivered', 1, ${COLUMNS_OF_TIME}`,
  );
  for (const [kind, table] of [
    ['invoice', 'invoices'],
    ['expense', 'expenses'],
  ] as const) {
    await services.sql.run(
      `INSERT INTO record_counts (companyId, kind, softDelete, status, slot, total)
        SELECT companyId, ?, softDelete, status, 0, COUNT(*) FROM ${table} WHERE companyId = ? GROUP BY softDelete, status`,
      [kind, companyId],
    );
  }
  await services.sql.run("INSERT INTO record_counts VALUES (?, 'client', 0, '', 0, ?)", [companyId, clients]);
  return { companyId, firstClient: clientsBefore + 1, firstInvoice: invoicesBefore + 1, endpointId };
}

/** Inserts rows of expressions over `n`, which counts from 0. */
function adder({ sql }: Services) {
  return async (count: number, into: string, values: string): Promise<void> => {
    for (let from = 0; from < count; from += BATCH) {
      const size = Math.min(BATCH, count - from);
      await sql.run(
        `INSERT INTO ${into}
           WITH RECURSIVE hundred (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM hundred WHERE d < 99),
             numbers (n) AS (SELECT ${from} + (a.d * 100 + b.d) * 100 + c.d
               FROM hundred a CROSS JOIN hundred b CROSS JOIN hundred c WHERE a.d < ${size / 10_000})
           SELECT ${values} FROM numbers WHERE n < ${from + size} ORDER BY n`,
      );
    }
  };
}

async function newest({ sql }: Services, table: 'clients' | 'invoices'): Promise<number> {
  const [row] = await sql.rows<{ id: number | null }>(`SELECT MAX(id) AS id FROM ${table}`);
  return row?.id ?? 0;
}

async function addEndpoint({ sql }: Services, companyId: number): Promise<number> {
  const { insertId } = await sql.run(
    `INSERT INTO webhook_endpoints (companyId, url, types, description, enabled, secret, position, softDelete, createdAt, updatedAt)
      VALUES (?, 'https://hooks.example/', '["*"]', '', 1, '', 0, 0, '2026-01-01', '2026-01-01')`,
    [companyId],
  );
  return insertId;
}
