import { toSqlTime } from '../../shared/engine/db/sql';
import type { Services } from '../../shared/services';
import { insertMany } from './insertMany';

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
