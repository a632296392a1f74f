import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { newestMigration } from '../../shared/engine/migrations/schemaVersion';
import { runCli } from '../support/commandLine';
import { createClient, createCompany, createExpense, createInvoice } from '../support/factories';
import { pdf, png } from '../support/images';
import { atEnd, installation, openTestServices } from '../support/installation';
import { startApi } from '../support/server';
import { LocalS3 } from '../support/s3';

/** What dumps and option files have to escape. */
const awkward = `'); DROP TABLE x; -- \\ "quoted" (1,'2')\r\n\tline \u{1f9fe} end\\`;
const mysqlUrl = String(process.env['TEST_MYSQL_URL']).replace(/\/+$/, '');
let folder: string;
let archive: string;
let files: string;
let s3: LocalS3;

interface Outcome {
  exitCode: number;
  said: Record<string, unknown>;
}

async function cli(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const { exitCode, stdout, stderr } = await runCli(['backup', ...args], env);
  return { exitCode, said: JSON.parse(stdout === '' ? stderr : stdout) as Outcome['said'] };
}

async function query(statement: string, values: unknown[] = []): Promise<RowDataPacket[]> {
  const connection = await createConnection(mysqlUrl);
  try {
    return (await connection.query<RowDataPacket[]>(statement, values))[0];
  } finally {
    await connection.end();
  }
}

/** An empty database, and a folder that does not exist. */
async function emptyPlace(): Promise<{ DATABASE_URL: string; FILES_DIR: string; name: string }> {
  const name = `restored_${randomBytes(5).toString('hex')}`;
  await query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci`);
  atEnd(async () => {
    await query(`DROP DATABASE ${name}`);
  });
  return { DATABASE_URL: `${mysqlUrl}/${name}`, FILES_DIR: join(folder, name), name };
}

const nameIn = (databaseUrl = ''): string => new URL(databaseUrl).pathname.slice(1);

/** All tables and rows of a database. */
async function contentOf(database: string): Promise<Record<string, unknown>> {
  const tables = await query(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ? ORDER BY 1',
    [database],
  );
  const content: Record<string, unknown> = {};
  for (const { name } of tables) {
    const [created] = await query(`SHOW CREATE TABLE ${database}.${String(name)}`);
    const rows = await query(`SELECT * FROM ${database}.${String(name)}`);
    content[String(name)] = [String(created?.['Create Table']), rows.map((row) => JSON.stringify(row)).sort()];
  }
  return content;
}

/** All files of a folder, with their bytes and modes. */
async function filesIn(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const key = path.slice(root.length + 1);
    const mode = ((await stat(path)).mode & 0o777).toString(8);
    if (!key.startsWith('tmp/')) found[key] = `${mode} ${(await readFile(path)).toString('base64')}`;
  }
  return found;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'invoicing-backup-test-'));
  s3 = await LocalS3.start();
  atEnd(async () => {
    s3.close();
    await rm(folder, { recursive: true });
  });
  archive = join(folder, 'first.tar');
  const api = await startApi();
  const { services } = api;
  await services.storeCheck.guard();
  for (let count = 0; count < 3; count++) {
    const { companyId, token } = await createCompany(services, {
      name: `Company ${count} ${awkward.slice(0, 60).split(/[\r\n]/)[0]}`,
    });
    const { id: clientId } = await createClient(services, companyId, { address: 'Jalan Sudirman 1\nJakarta' });
    for (let invoice = 0; invoice < 20; invoice++)
      await createInvoice(services, companyId, { clientId, notes: 'A note' });
    await createExpense(services, companyId, {});
    await services.sql.run('UPDATE invoices SET notes = ? WHERE companyId = ?', [awkward, companyId]);
    await api
      .as(token)
      .post('/api/receipts')
      .attach('file', pdf(`of ${count}`), 'receipt.pdf')
      .expect(201);
    await api.as(token).put('/api/company/logo').attach('logo', png(8, 8), 'logo.png').expect(200);
    await services.files.put(`pdf/${companyId}/${'ab'.repeat(32)}.pdf`, randomBytes(300_000));
  }
  files = String((await installation())['FILES_DIR']);
  // What is not a file of the store, or not complete.
  await mkdir(join(files, 'tmp'), { recursive: true });
  await writeFile(join(files, 'tmp', 'unfinished'), 'half');
  expect((await cli(['create', archive])).exitCode).toBe(0);
});

test('backup create, then restore into an empty place › every table and file is the same, and the service starts on it', async () => {
  const { DATABASE_URL: source } = await installation();
  const place = await emptyPlace();
  const { exitCode, said } = await cli(['restore', archive], place);
  expect({ exitCode, said }).toMatchObject({ exitCode: 0, said: { pendingJobs: 0, files: 10 } });
  expect(said['rows']).toMatchObject({ companies: 3, invoices: 60, stored_files: 6, file_store: 1 });
  const [before, after] = [await contentOf(nameIn(source)), await contentOf(place.name)];
  const [moved] = await query(`SELECT last FROM ${place.name}.event_sequence`);
  const { eventNumbers } = said as { eventNumbers: { movedBy: number; last: number } };
  expect(eventNumbers).toEqual({ movedBy: expect.any(Number) as number, last: Number(moved?.['last']) });
  expect(eventNumbers.last).toBeGreaterThan(Date.now() * 1_000);
  expect(said['next']).toContainEqual(expect.stringContaining(`moved on by ${eventNumbers.movedBy}`));
  expect({ ...after, event_sequence: null }).toEqual({ ...before, event_sequence: null });
  const restored = await filesIn(place.FILES_DIR);
  expect(restored).toEqual(await filesIn(files));
  expect(Object.keys(restored).filter((key) => /^(?:pdf|logo|receipt)\/|^store-id$/.test(key))).toHaveLength(10);
  const services = await openTestServices({ env: place });
  await services.storeCheck.guard();
  expect(services.storeCheck['storeId']).toBeDefined();
});

test('an archive › is readable by its owner alone, and names versions, rows and digests', async () => {
  const { exitCode, said } = await cli(['create', folder, '--without-pdfs']);
  expect(exitCode).toBe(0);
  const path = String(said['archive']);
  expect(path).toMatch(/invoicing-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tar$/);
  expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
  expect(said).toMatchObject({
    schema: newestMigration(),
    node: process.versions.node,
    files: { entries: 7, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    database: { entries: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
  });
});

test('a bucket › is backed up and restored as a folder is', async () => {
  const place = { ...(await emptyPlace()), ...s3.env };
  expect((await cli(['restore', archive], place)).exitCode).toBe(0);
  const fromBucket = join(folder, 'bucket.tar');
  expect((await cli(['create', fromBucket], place)).exitCode).toBe(0);
  const again = await emptyPlace();
  expect((await cli(['restore', fromBucket], again)).exitCode).toBe(0);
  expect(await filesIn(again.FILES_DIR)).toEqual(await filesIn(files));
});

describe('backup restore changes nothing', () => {
  const refusal = async (path: string, env: Record<string, string>): Promise<string> => {
    const { exitCode, said } = await cli(['restore', path], env);
    expect(exitCode).toBe(1);
    return `${String(said['code'])}: ${String(said['message'])}`;
  };
  /** A copy of the archive, changed. */
  const changed = async (name: string, change: (path: string, bytes: Buffer) => Promise<void>): Promise<string> => {
    const path = join(folder, name);
    const bytes = await readFile(archive);
    await writeFile(path, bytes);
    await change(path, bytes);
    return path;
  };
  const isUntouched = async ({ name, FILES_DIR }: { name: string; FILES_DIR: string }): Promise<void> => {
    expect(await contentOf(name)).toEqual({});
    await expect(stat(FILES_DIR)).rejects.toThrow('ENOENT');
  };

  test('for an archive that was cut off or changed, and for another file', async () => {
    const place = await emptyPlace();
    const cut = await changed('cut.tar', (path, bytes) => truncate(path, bytes.length / 2));
    expect(await refusal(cut, place)).toMatch(/^damaged_backup: .*Nothing was changed/);
    const flipped = await changed('flipped.tar', async (path, bytes) => {
      const at = bytes.indexOf('%PDF-1');
      bytes.write('#', at);
      await writeFile(path, bytes);
    });
    expect(await refusal(flipped, place)).toMatch(/^damaged_backup: .*files is not what/);
    const other = await changed('other.tar', (path) => writeFile(path, Buffer.alloc(10_240)));
    expect(await refusal(other, place)).toMatch(/^damaged_backup: .*no manifest/);
    await isUntouched(place);
  });

  test('for a path that is missing or a folder, which it says', async () => {
    const place = await emptyPlace();
    const missing = join(folder, 'missing.tar');
    expect(await refusal(missing, place)).toBe(`unusable_path: ${missing} cannot be read: no such file or directory.`);
    expect(await refusal(folder, place)).toBe(`unusable_path: ${folder} cannot be read: it is a folder.`);
    await isUntouched(place);
  });

  test('for a backup of a newer version, which it names', async () => {
    const place = await emptyPlace();
    const newer = await changed('newer.tar', async (path, bytes) => {
      // In the manifest, the last entry.
      bytes.write('29991231', bytes.lastIndexOf(newestMigration()));
      await writeFile(path, bytes);
    });
    expect(await refusal(newer, place)).toContain('newer_backup: The backup is of a newer version of the service');
    await isUntouched(place);
  });

  test('in a database or a file store that is not empty', async () => {
    const full = await installation();
    const place = await emptyPlace();
    expect(await refusal(archive, { FILES_DIR: place.FILES_DIR })).toMatch(/^not_empty: The database has \d+ tables/);
    expect(await refusal(archive, { ...place, FILES_DIR: full['FILES_DIR'] ?? '' })).toMatch(/^not_empty: the folder/);
    await isUntouched(place);
  });
});

test('backup create › refuses to replace a file, and says what to install without the program for dumps', async () => {
  const before = await readFile(archive);
  expect((await cli(['create', archive])).said).toMatchObject({ code: 'exists' });
  expect((await readFile(archive)).equals(before)).toBe(true);
  const { exitCode, said } = await cli(['create', join(folder, 'none.tar')], { PATH: folder });
  expect({ exitCode, said }).toMatchObject({ exitCode: 1, said: { code: 'tool_missing' } });
  expect(String(said['message'])).toContain('Install the package mariadb-client');
  expect((await readdir(folder)).filter((name) => name.includes('none'))).toEqual([]);
});

test('backup create › in a folder that does not exist, or below a file, says what is wrong with the path', async () => {
  for (const [path, reason] of [
    [join(folder, 'nowhere', 'x.tar'), 'no such file or directory'],
    [join(archive, 'x.tar'), 'not a directory'],
  ] as const) {
    const { exitCode, said } = await cli(['create', path]);
    expect({ exitCode, said }).toEqual({
      exitCode: 1,
      said: { code: 'unusable_path', message: `${path} cannot be written: ${reason}.` },
    });
  }
  expect((await readdir(folder)).filter((name) => name.includes('nowhere'))).toEqual([]);
});

test('backup create › on a full disk says so, and leaves nothing', async () => {
  // What is written to /dev/full meets a full disk.
  await symlink('/dev/full', join(folder, 'full.tar.partial'));
  const { exitCode, said } = await cli(['create', join(folder, 'full.tar')]);
  expect(exitCode).toBe(1);
  expect(said['message']).toContain('no space left on device');
  expect((await readdir(folder)).filter((name) => name.includes('full'))).toEqual([]);
});

test('backup create › with another store than that of the database, as an unmounted volume, writes nothing', async () => {
  const { exitCode, said } = await cli(['create', join(folder, 'unmounted.tar')], { FILES_DIR: join(folder, 'empty') });
  expect({ exitCode, said }).toMatchObject({ exitCode: 1, said: { code: 'configuration' } });
  expect((await readdir(folder)).filter((name) => name.includes('unmounted'))).toEqual([]);
});
