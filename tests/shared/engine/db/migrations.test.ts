import { randomBytes } from 'node:crypto';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { DataType } from 'sequelize-typescript';
import { migrateDown, migrateUp, migrationStatus } from '../../../../shared/engine/migrations/migrate';
import { migrations } from '../../../../shared/engine/migrations/steps';
import { models } from '../../../../shared/models';
import { testModels } from '../../../support/models';
import { installation } from '../../../support/installation';

const ownDatabase = `migrations_${randomBytes(6).toString('hex')}`;
const server = String(process.env['TEST_MYSQL_URL']).replace(/\/+$/, '');
const url = `${server}/${ownDatabase}`;
const names = migrations.map(({ name }) => name);
/** Tables whose rows belong to no company. */
const ofInstallation = new Set([
  'companies',
  'file_store',
  'workers',
  'queue_pauses',
  'event_sequence',
  'replica_beats',
]);
let connection: Connection;

beforeAll(async () => {
  connection = await createConnection(server);
});
beforeEach(async () => {
  await connection.query(`CREATE DATABASE ${ownDatabase} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci`);
});
afterEach(async () => {
  await connection.query(`DROP DATABASE ${ownDatabase}`);
});
afterAll(() => connection.end());

async function tables(database = ownDatabase): Promise<Map<string, string>> {
  const [rows] = await connection.query<RowDataPacket[]>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ? AND table_name <> 'schema_migrations'",
    [database],
  );
  const definitions = await Promise.all(
    rows.map(async ({ name }) => {
      const [[created]] = await connection.query<RowDataPacket[]>(`SHOW CREATE TABLE ${database}.${String(name)}`);
      // MySQL shows the character set of columns that were changed after they were created.
      const definition = String(created?.['Create Table']).replaceAll(' CHARACTER SET utf8mb4 COLLATE', ' COLLATE');
      return [String(name), definition] as const;
    }),
  );
  return new Map(definitions);
}

describe('migrations', () => {
  test('from empty › all run up in order, once; each runs down, and up again to the same schema', async () => {
    expect(await migrationStatus(url)).toEqual({ done: [], pending: names });
    expect(await migrateUp(url)).toEqual(names);
    expect(await migrateUp(url)).toEqual([]);
    expect(await migrationStatus(url)).toEqual({ done: names, pending: [] });
    const schema = await tables();
    for (const name of [...names].reverse()) expect(await migrateDown(url)).toEqual([name]);
    expect(await migrateDown(url)).toEqual([]);
    expect(await tables()).toEqual(new Map());
    await migrateUp(url);
    expect(await tables()).toEqual(schema);
  });

  test('the database of a test file › is as the migrations leave it', async () => {
    await migrateUp(url);
    const { DATABASE_URL: copyUrl = '' } = await installation();
    expect(await tables(new URL(copyUrl).pathname.slice(1))).toEqual(await tables());
    expect(await migrationStatus(copyUrl)).toEqual({ done: names, pending: [] });
  });

  test('several machines at the same time › each migration runs once', async () => {
    const ran = (await Promise.all([migrateUp(url), migrateUp(url), migrateUp(url)])).flat();
    expect(ran.sort()).toEqual(names);
  });

  test('another machine is migrating › waits for it, and changes nothing while it does', async () => {
    const other = await createConnection(url);
    await other.query("SELECT GET_LOCK(CONCAT('migrate-', SHA2(DATABASE(), 224)), 0)");
    await expect(migrateUp(url, { waitS: 1 })).rejects.toThrow(
      'the schema is changed by another process at the moment',
    );
    expect(await migrationStatus(url)).toEqual({ done: [], pending: names });
    const migrating = migrateUp(url);
    await other.end();
    expect(await migrating).toEqual(names);
  });

  test('invoices that said that they recur before anything did › are series from then on', async () => {
    await migrateUp(url);
    const before = names.indexOf('20261121100100-add-invoice-series');
    for (const name of names.slice(before).reverse()) expect(await migrateDown(url)).toEqual([name]);
    await connection.query(`USE ${ownDatabase}`);
    await connection.query(`INSERT INTO companies (name, currency, locale, timezone, invoiceNumberFormat, createdAt, updatedAt)
      VALUES ('A', 'IDR', 'en', 'Asia/Jakarta', '{SEQ:1}', NOW(3), NOW(3))`);
    await connection.query(
      `INSERT INTO clients (companyId, name, createdAt, updatedAt) VALUES (1, 'B', NOW(3), NOW(3))`,
    );
    await connection.query(
      `INSERT INTO invoices (companyId, clientId, status, issueDate, dueDate, subtotal, tax, taxRate, total, notes, currency,
          recurring, nextDueDate, createdAt, updatedAt) VALUES ?`,
      [
        [
          ['none', '2026-03-01'],
          ['monthly', null],
          ['yearly', '2026-05-05'],
          ['daily', '2026-01-01'],
        ].map((series) => [
          1,
          1,
          'draft',
          '2026-01-31',
          '2026-02-10',
          1,
          0,
          0,
          1,
          '',
          'IDR',
          ...series,
          new Date(),
          new Date(),
        ]),
      ],
    );
    await migrateUp(url);
    const [rows] = await connection.query<RowDataPacket[]>(
      `SELECT CONCAT_WS(' ', recurring, nextDueDate, anchorDate, recurringSince = UTC_DATE(), dueAt <= UTC_TIMESTAMP()) AS series
        FROM invoices ORDER BY id`,
    );
    expect(rows.map(({ series }) => String(series))).toEqual([
      'none 2026-03-01',
      'monthly 2026-02-28 2026-01-31 1 1',
      'yearly 2026-05-05 2026-05-05 1 1',
      'daily 2026-02-01 2026-01-31 1 1',
    ]);
  });

  test('addresses with an internationalised domain › are in ASCII from then on; others stay', async () => {
    await migrateUp(url);
    for (const name of names.slice(names.indexOf('20261122030000-addresses-in-ascii')).reverse()) {
      expect(await migrateDown(url)).toEqual([name]);
    }
    await connection.query(`USE ${ownDatabase}`);
    await connection.query(`INSERT INTO companies (name, email, currency, locale, timezone, invoiceNumberFormat, createdAt, updatedAt)
      VALUES ('A', 'info@bücher.example', 'IDR', 'en', 'Asia/Jakarta', '{SEQ:1}', NOW(3), NOW(3))`);
    await connection.query(`INSERT INTO clients (companyId, name, email, createdAt, updatedAt) VALUES
      (1, 'B', 'a@例え.テスト', NOW(3), NOW(3)), (1, 'C', 'Plain@Acme.example', NOW(3), NOW(3)), (1, 'D', NULL, NOW(3), NOW(3))`);
    await migrateUp(url);
    const [rows] = await connection.query<RowDataPacket[]>(
      'SELECT email FROM companies UNION ALL SELECT email FROM clients ORDER BY email',
    );
    expect(rows.map(({ email }) => email as unknown)).toEqual([
      null,
      'a@xn--r8jz45g.xn--zckzah',
      'info@xn--bcher-kva.example',
      'Plain@Acme.example',
    ]);
  });

  test('every model › has a table with its columns', async () => {
    await migrateUp(url);
    const [rows] = await connection.query<RowDataPacket[]>(
      'SELECT table_name AS tableName, column_name AS columnName FROM information_schema.columns WHERE table_schema = ?',
      [ownDatabase],
    );
    const columns = new Set(rows.map(({ tableName, columnName }) => `${String(tableName)}.${String(columnName)}`));
    for (const model of [...models, ...testModels]) {
      const decorated = Reflect.getMetadata('sequelize:attributes', model.prototype) as Record<
        string,
        { type: unknown }
      >;
      const { tableName } = Reflect.getMetadata('sequelize:options', model.prototype) as {
        tableName: string;
      };
      // What a statement computes beside the columns is none.
      const own = Object.entries(decorated).filter(([, { type }]) => type !== DataType.VIRTUAL);
      for (const [column] of own) expect(columns).toContain(`${tableName}.${column}`);
    }
  });

  test('every table of a company › has the company first in its primary key', async () => {
    await migrateUp(url);
    for (const [name, definition] of await tables()) {
      if (ofInstallation.has(name)) continue;
      expect([name, definition]).toEqual([name, expect.stringMatching(/PRIMARY KEY \(`companyId`[,)]/)]);
      expect([name, definition]).toEqual([name, expect.stringContaining('ENGINE=InnoDB')]);
    }
  });
});
