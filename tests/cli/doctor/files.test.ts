import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkAccess } from '../../../cli/doctor/files/access';
import { fileChecks } from '../../../cli/doctor/files';
import { checkDiskSpace, spaceFinding } from '../../../cli/doctor/files/diskSpace';
import { checkIdentity } from '../../../cli/doctor/files/identity';
import { loadConfig } from '../../../config/env';
import { runChecks } from '../../../shared/engine/checks/runChecks';
import { LocalFileStore } from '../../../shared/engine/files/LocalFileStore';
import { S3FileStore } from '../../../shared/engine/files/S3FileStore';
import { installation, openTestServices } from '../../support/installation';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'invoicing-doctor-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('identity', () => {
  test('before the first start, of the installation, of another one, of an empty folder › ok, ok, broken, broken', async () => {
    const { sql, storeCheck } = await openTestServices();
    const { FILES_DIR = '' } = await installation();
    const own = new LocalFileStore(FILES_DIR);
    const before = await checkIdentity(own, sql);
    expect(before).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('no process has started') as string,
    });
    await storeCheck.guard();
    expect((await checkIdentity(own, sql)).status).toBe('ok');

    const another = join(folder, 'another');
    await mkdir(another);
    const empty = await checkIdentity(new LocalFileStore(another), sql);
    await writeFile(join(another, 'store-id'), '00000000-0000-0000-0000-000000000000\n');
    const foreign = await checkIdentity(new LocalFileStore(another), sql);
    expect(empty).toMatchObject({ status: 'broken', message: expect.stringContaining('it has no file') as string });
    expect(foreign).toMatchObject({
      status: 'broken',
      message: expect.stringContaining("another installation's") as string,
    });
    expect(await readdir(another)).toEqual(['store-id']);
  });
});

describe('access', () => {
  test('a usable folder › ok, and the file is gone', async () => {
    expect(await checkAccess(new LocalFileStore(folder))).toMatchObject({ status: 'ok' });
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  test('a folder of another user › broken, with what to do', async () => {
    const own = join(folder, 'own');
    await mkdir(own, { mode: 0o500 });
    // Root may write everywhere.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    const finding = await checkAccess(new LocalFileStore(own));
    if (isRoot) process.seteuid?.(0);
    expect(finding).toMatchObject({
      status: 'broken',
      message: expect.stringContaining('EACCES') as string,
      remedy: expect.stringContaining('chown') as string,
    });
  });

  test('a file in its place › broken; no folder yet › a warning', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await checkAccess(new LocalFileStore(join(folder, 'file')))).toMatchObject({
      status: 'broken',
      remedy: 'Let FILES_DIR name a folder.',
    });
    expect(await checkAccess(new LocalFileStore(join(folder, 'none')))).toMatchObject({ status: 'warning' });
  });

  test('a bucket whose store cannot be reached › broken, without the secret', async () => {
    const { files } = loadConfig({
      FILES_STORE: 's3',
      S3_BUCKET: 'invoices',
      S3_ENDPOINT: 'http://127.0.0.1:1',
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 's3cret-word',
    });
    if (files.store !== 's3') throw new Error('not a bucket');
    const finding = await checkAccess(new S3FileStore(files));
    expect(finding).toMatchObject({ status: 'broken', message: expect.stringContaining('ECONNREFUSED') as string });
    expect(JSON.stringify(finding)).not.toContain('s3cret-word');
  });
});

describe('free space', () => {
  test('much, little and next to nothing › ok, warning, broken', async () => {
    expect([5_000, 500, 50].map((freeMib) => spaceFinding('/files', freeMib).status)).toEqual([
      'ok',
      'warning',
      'broken',
    ]);
    const existing = await checkDiskSpace(folder);
    expect(await checkDiskSpace(join(folder, 'not/yet'))).toMatchObject({ status: existing.status });
  });
});

test('MySQL is unreachable › only the identity is skipped', async () => {
  const { sql } = await openTestServices();
  const database = { name: 'MySQL: connection', run: () => Promise.reject(new Error('down')) };
  const checks = [database, ...fileChecks(loadConfig({ FILES_DIR: folder }), sql, database)];
  const results = await runChecks(checks, { wrongVariables: new Set() });
  expect(results.map(({ name, status }) => [name, status])).toEqual([
    ['MySQL: connection', 'broken'],
    ['files: identity', 'skipped'],
    ['files: access', 'ok'],
    ['files: free space', (await checkDiskSpace(folder)).status],
  ]);
});
