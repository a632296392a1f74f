import { placeholders, type SqlValue, toSqlTime } from '../../shared/engine/db/sql';
import type { Services } from '../../shared/services';

const rowsPerInsert = 500;

/** Inserts rows in large statements. The values of each row are in the order of the columns. */
export async function insertMany(
  { sql }: Services,
  table: string,
  columns: readonly string[],
  rows: readonly SqlValue[][],
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    const batch = rows.slice(from, from + rowsPerInsert);
    const values = batch.map(() => `(${placeholders(columns.length)})`).join(', ');
    await sql.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values}`, batch.flat());
  }
}

/** Adds numbered events of the company's invoices. Returns their numbers, from 1. */
export async function seedEvents(services: Services, companyId: number, count: number): Promise<number[]> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const at = toSqlTime(new Date());
  await insertMany(
    services,
    'events',
    ['companyId', 'type', 'actor', 'subjectType', 'subjectId', 'data', 'createdAt', 'requestId', 'seq'],
    numbers.map((seq) => [
      ...[companyId, 'invoice.created', 'api-key:1', 'invoice', seq],
      JSON.stringify({ invoiceNumber: `INV-2026-${seq}`, status: 'draft', total: '1584750.00', currency: 'IDR' }),
      ...[at, '6f1c3c7e-3a0f-4a5e-9f43-1f0c0f9f8f11', seq],
    ]),
  );
  await services.sequelize.query('ANALYZE TABLE events');
  return numbers;
}
