import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDatabase } from '../../../../dev/servers/ensureDatabase';
import { guardFolder } from '../../../../dev/servers/guard';
import { startPrivateMysql } from '../../../../dev/servers/privateMysql';
import { migrateUp } from '../../../../shared/engine/migrations/migrate';
import type { Services } from '../../../../shared/services';
import { placeholders, toIsoTime, type Sql, type SqlValue } from '../../../../shared/engine/db/sql';
import { invoiceList } from '../../../../shared/invoices/record';
import { listOccurrences } from '../../../../shared/recurrence/listOccurrences';
import { recurringInvoices } from '../../../../shared/invoices/recurringInvoices';
import { createClient, createCompany, createInvoice } from '../../../support/factories';
import { atEnd, openTestServices } from '../../../support/installation';

/** One connection, which counts what it prepares. */
const one = { DATABASE_POOL_SIZE: '1' };

async function countOf(sql: Sql, variable: string): Promise<number> {
  const [row] = await sql.rows<{ Value: string }>(`SHOW SESSION STATUS LIKE '${variable}'`);
  return Number(row?.Value);
}

test('pages of other sizes and numbers › are read by the same prepared statements', async () => {
  const services = await openTestServices({ env: one });
  const { sql } = services;
  const { companyId } = await createCompany(services);
  const { id: clientId } = await createClient(services, companyId);
  const { id } = await createInvoice(services, companyId, { clientId, recurring: 'monthly' });
  const read = async (limit: number, page: number): Promise<void> => {
    for (const includeDeleted of [false, true]) {
      const sorting = { sortBy: 'createdAt', sortOrder: 'desc', includeDeleted } as const;
      await invoiceList.read(sql, companyId, { ...sorting, status: 'all', limit, page });
      const occurrences = { ...sorting, sortBy: 'date', limit, page, next: 1 } as const;
      await listOccurrences(sql, companyId, recurringInvoices, id, occurrences);
    }
  };
  await read(10, 1);
  await read(10, 2);
  const before = await countOf(sql, 'Com_stmt_prepare');
  for (let page = 1; page <= 10; page++) await read(page + 1, page);
  expect(await countOf(sql, 'Com_stmt_prepare')).toBe(before);
});

test('a statement of many values › is not prepared', async () => {
  const { sql } = await openTestServices({ env: one });
  const read = (bytes: number | null, length: number): Promise<unknown> => {
    const text = `SELECT 1 FROM DUAL WHERE 1 IN (${placeholders(length)})`;
    const values = Array<number>(length).fill(1);
    return bytes === null ? sql.rows(text, values) : sql.rowsWithin(bytes, text, values);
  };
  await read(null, 72);
  const before = await countOf(sql, 'Com_stmt_prepare');
  for (const length of [72, 73, 500]) {
    expect(await read(null, length)).toEqual([{ 1: 1 }]);
    expect(await read(1_000, length)).toEqual([{ 1: 1 }]);
  }
  expect(await countOf(sql, 'Com_stmt_prepare')).toBe(before);
});

describe('a server that keeps no more prepared statements', () => {
  const values: SqlValue[] = ['it\'s \\ a "line"\n?', null, 9_007_199_254_740_991, -1, '12.50', '2026-01-31', '', 2];
  const text = `SELECT ? AS line, ? AS nothing, CAST(? AS SIGNED) AS large, CAST(? AS SIGNED) AS less, CAST(? AS DECIMAL(9, 2)) AS price,
    CAST(? AS DATE) AS day, TIMESTAMP '2026-01-31 10:00:00.250' AS at, 
    TRUE AS yes, CONCAT(?, 'x') AS x, n FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) numbers ORDER BY n LIMIT ?`;
  let plain: Sql;
  let prepared: Sql;
  let services: Services;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'invoicing-prepared-'));
    guardFolder(folder);
    const args = ['--max-prepared-stmt-count=0'];
    const server = await startPrivateMysql({
      dataDir: join(folder, 'mysql'),
      durable: false,
      log: () => undefined,
      args,
    });
    atEnd(() => server.stop().then(() => rmSync(folder, { recursive: true, force: true })));
    const url = `${server.url}/invoicing`;
    await ensureDatabase(url);
    await migrateUp(url);
    ({ sql: prepared } = await openTestServices({ env: one }));
    // Models belong to the services that are opened last.
    services = await openTestServices({ env: { ...one, DATABASE_URL: url } });
    plain = services.sql;
  });

  test('runs them as texts › with the same rows', async () => {
    const rows = await prepared.rows(text, values);
    expect(rows).toHaveLength(2);
    expect(await plain.rows(text, values)).toEqual(rows);
    expect(await plain.rowsWithin(10_000, text, values)).toEqual(rows);
    expect(await plain.rowsWithin(10, text, values)).toBeNull();
    expect(await countOf(plain, 'Com_stmt_execute')).toBe(0);
  });

  test('sends the milliseconds of a whole second, which are the same time', async () => {
    const whole = "SELECT CAST('2026-01-31 10:00:00' AS DATETIME(3)) AS at";
    for (const sql of [prepared, plain]) {
      const [row] = await sql.rows<{ at: string }>(whole);
      expect(toIsoTime(row?.at ?? '')).toBe('2026-01-31T10:00:00.000Z');
    }
  });

  test('runs changes as texts › with the same result', async () => {
    for (const sql of [prepared, plain]) {
      await sql.run('CREATE TEMPORARY TABLE numbered (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(9))');
      expect(await sql.run('INSERT INTO numbered (name) VALUES (?), (?)', ['a', null])).toMatchObject({
        affectedRows: 2,
        insertId: 1,
      });
    }
  });

  test('makes records by models', async () => {
    const { companyId } = await createCompany(services);
    expect((await createClient(services, companyId)).id).toBeGreaterThan(0);
    expect(await countOf(plain, 'Com_stmt_execute')).toBe(0);
  });

  test('reports any other error of a statement as it is', async () => {
    await expect(plain.rows('SELECT none FROM nothing')).rejects.toMatchObject({ errno: 1146 });
    await expect(plain.rowsWithin(10, 'SELECT none FROM nothing')).rejects.toMatchObject({ errno: 1146 });
  });
});
