import { toSqlTime, type SqlValue } from '../../shared/engine/db/sql';
import { numberOf, seriesOf } from '../../shared/invoiceNumbers/invoiceNumber';
import { invoiceTotals, partiesOf } from '../../shared/invoices';
import type { Services } from '../../shared/services';
import { createApiKey } from '../../shared/apiKeys';
import { createClient } from '../../shared/clients';
import { createCompany, getCompany } from '../../shared/companies';
import { insertMany } from './insertMany';
import { sampleClient, sampleItems, sampleStatus } from './samples';

const seededInvoices = 10_000;
const seededClients = 200;
const actor = 'bench';

export interface Seeded {
  companyId: number;
  token: string;
  clientIds: number[];
  /** In ascending order. */
  invoiceIds: number[];
  /**
   * A client of another company without invoices, for the writes of baselines: they do not change the lists of the
   * first.
   */
  other: { companyId: number; clientId: number; token: string };
}

/**
 * Creates a company with 10,000 invoices of 3 items each, and its number sequence, used numbers and record counts to
 * match.
 */
export async function seedInvoices(services: Services): Promise<Seeded> {
  const { companyId, token, clientIds } = await seedCompany(services, seededClients);
  const other = await seedCompany(services, 1);
  const invoiceIds = await insertInvoices(services, companyId, clientIds);
  await services.sequelize.query('ANALYZE TABLE clients, invoices, invoice_items, invoice_numbers');
  return { companyId, token, clientIds, invoiceIds, other: { ...other, clientId: other.clientIds[0] ?? 0 } };
}

/** Creates a company with clients and a key. */
export async function seedCompany(services: Services, clients: number): Promise<Omit<Seeded, 'invoiceIds' | 'other'>> {
  const input = { name: 'Northwind Trading', email: 'billing@northwind.example', address: '1 Harbour Road\nJakarta' };
  const { id: companyId } = await services.performForInstallation(actor, (work) => createCompany(work, input));
  return services.perform({ companyId, actor }, async (uow) => {
    const clientIds: number[] = [];
    for (let index = 0; index < clients; index++) clientIds.push((await createClient(uow, sampleClient(index))).id);
    const { token } = await createApiKey(uow, { name: 'bench', scopes: ['admin'] });
    return { companyId, token, clientIds };
  });
}

async function insertInvoices(services: Services, companyId: number, clientIds: readonly number[]): Promise<number[]> {
  const owner = await getCompany(services.sql, companyId);
  const day = '2026-01-15';
  const series = seriesOf(owner.invoiceNumberFormat, day);
  const invoices: SqlValue[][] = [];
  const items: SqlValue[][] = [];
  const numbers: SqlValue[][] = [];
  const counts = new Map<string, number>();
  for (let index = 0; index < seededInvoices; index++) {
    const id = index + 1;
    const at = toSqlTime(new Date(Date.UTC(2026, 0, 15) + index * 1000));
    const clientIndex = index % clientIds.length;
    const status = sampleStatus(index);
    const given = sampleItems(index);
    const { amounts, subtotal, tax, total } = invoiceTotals({ taxRate: '11', items: given });
    const frozen = status === 'draft' ? null : JSON.stringify(partiesOf(owner, partyOf(clientIndex)));
    const number = numberOf(series, id);
    invoices.push([
      ...[id, companyId, clientIds[clientIndex] ?? 0, number, status, day, '2026-02-14', subtotal, tax, '11.00', total],
      ...['Thank you for your business.', owner.currency, 'none', frozen],
      ...[status === 'draft' ? null : at, status === 'paid' ? at : null, 0, at, at],
    ]);
    given.forEach(({ description, quantity, unitPrice }, position) =>
      items.push([companyId, id, position, description, quantity, unitPrice, amounts[position] ?? '', at, at]),
    );
    numbers.push([companyId, number, id]);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  await insertMany(services, 'invoices', invoiceColumns, invoices);
  await insertMany(services, 'invoice_items', itemColumns, items);
  await insertMany(services, 'invoice_numbers', ['companyId', 'invoiceNumber', 'invoiceId'], numbers);
  await insertMany(
    services,
    'number_sequences',
    ['companyId', 'series', 'nextValue'],
    [[companyId, series, seededInvoices + 1]],
  );
  const kept = [...counts].map(([status, total]) => [companyId, 'invoice', 0, status, 0, total]);
  await insertMany(services, 'record_counts', ['companyId', 'kind', 'softDelete', 'status', 'slot', 'total'], kept);
  return invoices.map(([id]) => Number(id));
}

const invoiceColumns = [
  ...['id', 'companyId', 'clientId', 'invoiceNumber', 'status', 'issueDate', 'dueDate', 'subtotal', 'tax', 'taxRate'],
  ...['total', 'notes', 'currency', 'recurring', 'frozenParties', 'sentAt', 'paidAt', 'softDelete', 'createdAt'],
  'updatedAt',
];
const itemColumns = [
  ...['companyId', 'invoiceId', 'position', 'description', 'quantity', 'unitPrice', 'amount', 'createdAt', 'updatedAt'],
];

function partyOf(clientIndex: number) {
  return { phone: null, taxId: null, locale: null, ...sampleClient(clientIndex) };
}
