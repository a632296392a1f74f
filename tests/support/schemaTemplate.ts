import { randomBytes } from 'node:crypto';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { migrateUp } from '../../shared/engine/migrations/migrate';

const defaults = 'CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci';
/** In the template: the statements that make its tables and their rows in another database. */
const statements = 'template_statements';

export interface SchemaTemplate {
  /** Its database, for {@link createFromTemplate}. */
  readonly database: string;
  drop(): Promise<void>;
}

/** Runs all migrations, once for the whole run, in a database that the databases of the test files are copied from. */
export async function makeSchemaTemplate(mysqlUrl: string): Promise<SchemaTemplate> {
  const database = `test_template_${randomBytes(6).toString('hex')}`;
  const drop = () => withConnection(mysqlUrl, (sql) => sql.query(`DROP DATABASE IF EXISTS ${database}`));
  try {
    await withConnection(mysqlUrl, (sql) => sql.query(`CREATE DATABASE ${database} ${defaults}`));
    await migrateUp(`${mysqlUrl}/${database}`);
    await withConnection(`${mysqlUrl}/${database}`, async (sql) => {
      const copies = await copyStatements(sql, database);
      await sql.query(`CREATE TABLE ${statements} (statement MEDIUMTEXT NOT NULL)`);
      await sql.query(`INSERT INTO ${statements} VALUES (?)`, [copies.join(';\n')]);
    });
  } catch (error) {
    await drop();
    throw error;
  }
  return { database, drop };
}

/** Creates a database that is as the migrations leave it: `SHOW CREATE TABLE` keeps keys, constraints and collations. */
export async function createFromTemplate(mysqlUrl: string, template: string, database: string): Promise<void> {
  await withConnection(mysqlUrl, async (sql) => {
    const [[row]] = await sql.query<RowDataPacket[]>(`SELECT statement FROM ${template}.${statements}`);
    await sql.query(`CREATE DATABASE ${database} ${defaults}; USE ${database}; ${String(row?.['statement'])}`);
  });
}

async function copyStatements(sql: Connection, template: string): Promise<string[]> {
  const [tables] = await sql.query<RowDataPacket[]>('SHOW TABLES');
  const creates: string[] = [];
  const fills: string[] = [];
  for (const table of tables.map((row) => String(Object.values(row)[0]))) {
    const [[created]] = await sql.query<RowDataPacket[]>(`SHOW CREATE TABLE ${table}`);
    creates.push(String(created?.['Create Table']));
    const [rows] = await sql.query<RowDataPacket[]>(`SELECT 1 FROM ${table} LIMIT 1`);
    if (rows.length > 0) fills.push(`INSERT INTO ${table} SELECT * FROM ${template}.${table}`);
  }
  // A table may come before the one that its foreign key refers to.
  return ['SET FOREIGN_KEY_CHECKS = 0', ...creates, ...fills, 'SET FOREIGN_KEY_CHECKS = 1'];
}

async function withConnection(uri: string, use: (sql: Connection) => Promise<unknown>): Promise<void> {
  const connection = await createConnection({ uri, multipleStatements: true });
  try {
    await use(connection);
  } finally {
    await connection.end();
  }
}
