import { measuredSql } from '../../../../shared/engine/db/sql';
import { unitOfWork } from '../../../../shared/engine/db/unitOfWork';
import { WorkMeter } from '../../../../shared/engine/fair';
import type { Services } from '../../../../shared/services';
import { Client } from '../../../../shared/clients';
import { createCompany } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';

let services: Services;
let companyId: number;

beforeAll(async () => {
  services = await openTestServices();
  ({ companyId } = await createCompany(services));
});
afterAll(() => services.close());

/** A meter that counts how often a response of MySQL resumed its work. */
function countingMeter() {
  const meter = new WorkMeter();
  const resumed = jest.spyOn(meter, 'resume');
  meter.start();
  resumed.mockClear();
  return { meter, responses: () => resumed.mock.calls.length };
}

test('statements of measured work are counted, those after it are not', async () => {
  const { meter, responses } = countingMeter();
  const sql = measuredSql(services.sql, meter);
  await sql.rows('SELECT 1 AS one');
  expect(responses()).toBeGreaterThan(0);
  const before = responses();
  await sql.rowsWithin(1_000, 'SELECT 1 AS one');
  expect(responses()).toBeGreaterThan(before);
  const after = responses();
  for (let n = 0; n < 5; n++) await services.sql.rows('SELECT 1 AS one');
  expect(responses()).toBe(after);
});

test('every statement of a transaction is counted, those of models as well, and none after its end', async () => {
  const { meter, responses } = countingMeter();
  const scope = { companyId, actor: 'test', meter };
  const counts: number[] = [];
  await unitOfWork(services.sequelize, services.clock, scope, async ({ sql, transaction }) => {
    counts.push(responses());
    await sql.rows('SELECT 1 AS one');
    counts.push(responses());
    await Client.count({ where: { companyId }, transaction });
    counts.push(responses());
  });
  counts.push(responses());
  expect(new Set(counts).size).toBe(4);
  const after = responses();
  for (let n = 0; n < 5; n++) await services.sql.rows('SELECT 1 AS one');
  expect(responses()).toBe(after);
});

test('many rows of measured work › what is made of them has a turn of the event loop of its own', async () => {
  const { meter } = countingMeter();
  const breathe = jest.spyOn(meter, 'breathe');
  const sql = measuredSql(services.sql, meter);
  const rows = (count: number): string =>
    `WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n`;
  await sql.rows(rows(20));
  expect(breathe).not.toHaveBeenCalled();
  expect(await sql.rows(rows(900))).toHaveLength(900);
  expect(await sql.rowsWithin(1_000_000, rows(900))).toHaveLength(900);
  expect(breathe).toHaveBeenCalledTimes(2);
});
