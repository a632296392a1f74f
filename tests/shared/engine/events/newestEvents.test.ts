import { newestEvents } from '../../../../shared/engine/events/feed';
import type { Services } from '../../../../shared/services';
import { createCompany } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';
import { workOf } from '../../../support/work';

/** Companies with few events each, and the events of one more. */
const COMPANIES = 4_096;
const EVENTS = 8_192;

let services: Services;
let companyId: number;

beforeAll(async () => {
  services = await openTestServices();
  const { sql } = services;
  const event = "'client.updated', 'test', 'client', 1, '{}', UTC_TIMESTAMP(3)";
  const columns = 'companyId, seq, type, actor, subjectType, subjectId, data, createdAt';
  ({ companyId } = await createCompany(services));
  const required = 'name, currency, locale, timezone, invoiceNumberFormat, createdAt, updatedAt';
  for (let made = 1; made < COMPANIES; made *= 2) {
    await sql.run(`INSERT INTO companies (${required}) SELECT ${required} FROM companies`);
  }
  await sql.run(`INSERT INTO events (${columns}) SELECT id, 1, ${event} FROM companies WHERE id <> ?`, [companyId]);
  await sql.run(`INSERT INTO events (${columns}) VALUES (?, 1, ${event})`, [companyId]);
  for (let made = 1; made < EVENTS; made *= 2) {
    await sql.run(
      `INSERT INTO events (${columns}) SELECT companyId, seq + ${made}, ${event} FROM events WHERE companyId = ? AND seq <= ${made}`,
      [companyId],
    );
  }
  await sql.rows('ANALYZE TABLE events');
});

test('the newest event › is the one with the highest number, 0 without one', async () => {
  const { companyId: empty } = await createCompany(services);
  await services.sql.run('DELETE FROM events WHERE companyId = ?', [empty]);
  const newest = await newestEvents(services.sql, [companyId, companyId + 1, empty]);
  expect([companyId, companyId + 1, empty].map((id) => newest.get(id))).toEqual([EVENTS, 1, 0]);
});

test('the newest events › are found without reading others, however few events most companies have', async () => {
  const { read } = await services.perform({ companyId, actor: 'test' }, ({ sql }) =>
    workOf(sql, () => newestEvents(sql, [companyId, companyId + 1, companyId + 2])),
  );
  expect(read).toBeLessThan(100);
});
