import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { measuredSql } from '../../../../shared/engine/db/sql';
import { unitOfWork } from '../../../../shared/engine/db/unitOfWork';
import { WorkMeter } from '../../../../shared/engine/fair';
import type { Services } from '../../../../shared/services';
import { Client } from '../../../../shared/clients';
import { createCompany } from '../../../support/factories';
import { eventually } from '../../../support/eventually';
import { installation, openTestServices } from '../../../support/installation';
import { startTcpProxy } from '../../../support/tcpProxy';

let services: Services;
let companyId: number;

beforeAll(async () => {
  services = await openTestServices();
  ({ companyId } = await createCompany(services));
});

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

test('what follows many rows runs alone in its turn of the event loop, also after a later statement that returns few', async () => {
  const rows = jest.fn().mockResolvedValueOnce(new Array(200).fill({})).mockResolvedValue([]);
  const meter = new WorkMeter();
  const breathed = jest.spyOn(meter, 'breathe');
  const sql = measuredSql({ ...services.sql, rows }, meter);
  await sql.rows('many');
  await sql.rows('few');
  expect(breathed).toHaveBeenCalledTimes(2);
  await measuredSql({ ...services.sql, rows }, meter).rows('few');
  expect(breathed).toHaveBeenCalledTimes(2);
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

test('the longest wait is that for a statement, not the time between two', async () => {
  const meter = new WorkMeter();
  meter.start();
  const scope = { companyId, actor: 'test', meter };
  await unitOfWork(services.sequelize, services.clock, scope, async ({ sql }) => {
    await sql.rows('SELECT SLEEP(0.3) AS slept');
    expect(meter.longestWaitMs).toBeGreaterThanOrEqual(300);
    await setTimeout(2 * meter.longestWaitMs);
    const before = meter.longestWaitMs;
    await sql.rows('SELECT 1 AS one');
    expect(meter.longestWaitMs).toBe(before);
  });
});

test('a commit for which the server stands still › counts as one of 20 ms', async () => {
  const server = await startTcpProxy(String((await installation())['DATABASE_URL']));
  const { sequelize, clock } = await openTestServices({ env: { DATABASE_URL: server.url } });
  const loop = { idle: 1_000, active: 0, utilization: 0 };
  jest.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({ ...loop }));
  const meter = new WorkMeter();
  const commit = jest.spyOn(meter, 'atMost');
  meter.start();
  const committed = unitOfWork(sequelize, clock, { companyId, actor: 'test', meter }, async ({ sql }) => {
    await sql.rows('SELECT 1 AS one');
    loop.idle += 3;
    server.freeze();
  });
  await eventually(() => commit.mock.calls.length > 0);
  loop.idle += 1_500;
  server.restore();
  await committed;
  expect(meter.stop()).toBe(3 + 20);
});

test('a statement that is a transaction of its own, for which the server stands still › counts as one of 20 ms', async () => {
  const server = await startTcpProxy(String((await installation())['DATABASE_URL']));
  const { sql } = await openTestServices({ env: { DATABASE_URL: server.url } });
  await sql.rows('SELECT 1 AS one');
  const loop = { idle: 1_000, active: 0, utilization: 0 };
  jest.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({ ...loop }));
  const meter = new WorkMeter();
  meter.start();
  server.freeze();
  const written = measuredSql(sql, meter).run('UPDATE companies SET updatedAt = updatedAt WHERE id = ?', [companyId]);
  loop.idle += 1_500;
  server.restore();
  await written;
  expect(meter.stop()).toBe(20);
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
