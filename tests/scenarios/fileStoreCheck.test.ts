import { execFile, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '../../config/ConfigurationError';
import { projectRoot } from '../../config/paths';
import { removeAbandonedUploads, uploadFolders } from '../../api/http/routing/abandonedUploads';
import { freePort } from '../../dev/servers/freePort';
import { LocalFileStore } from '../../shared/engine/files/LocalFileStore';
import { StoreCheck } from '../../shared/engine/files/StoreCheck';
import { createLogger } from '../../shared/engine/log/log';
import { eventually } from '../support/eventually';
import { atEnd, installation, openTestServices } from '../support/installation';
import { startApi } from '../support/server';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'invoicing-store-check-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  const { sql } = await openTestServices();
  await sql.run('DELETE FROM file_store');
  await rm(join((await installation())['FILES_DIR'] ?? '', 'store-id'), { force: true });
});

/** A process as it is deployed, until it is ready or has ended and everything that it wrote has arrived. */
async function start(entry: 'api' | 'workers', env: Record<string, string>) {
  const { PATH = '' } = process.env;
  const more = { PORT: '0', WORKER_QUEUES: 'pdf', CHROME_ALLOW_NO_SANDBOX: 'true' };
  const child = fork(join(projectRoot, `dist/${entry}/index.js`), {
    env: { PATH, ...(await installation()), ...more, ...env },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  atEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const first = await Promise.race([once(child, 'message').then(([message]) => message as { port?: number }), ended]);
  return { first, ended, told: () => told };
}

test('several processes that start at once name the store together; it has an id then, and MySQL the same', async () => {
  const all = await Promise.all([1, 2, 3, 4].map(() => openTestServices()));
  await Promise.all(all.map(({ storeCheck }) => storeCheck.guard()));
  const { FILES_DIR = '' } = await installation();
  const [row] = await all[0]!.sql.rows<{ storeId: string }>('SELECT storeId FROM file_store');
  expect((await readFile(join(FILES_DIR, 'store-id'), 'utf8')).trim()).toBe(row?.storeId);
  expect(new Set(all.map(({ storeCheck }) => storeCheck['storeId']))).toEqual(new Set([row?.storeId]));
});

test('a data folder from before, and one that has an id while MySQL has none › just start', async () => {
  const before = join(folder, 'before');
  await mkdir(join(before, 'logo'), { recursive: true });
  await writeFile(join(before, 'logo', 'a.png'), 'x');
  const first = await openTestServices({ env: { FILES_DIR: before } });
  await first.storeCheck.guard();
  await first.sql.run('DELETE FROM file_store');
  await (await openTestServices({ env: { FILES_DIR: before } })).storeCheck.guard();
});

test('a process with another store › ends, and says what it sees; the API with it is not ready', async () => {
  await (await openTestServices()).storeCheck.guard();
  const empty = join(folder, 'empty');
  for (const refused of await Promise.all([
    start('api', { FILES_DIR: empty }),
    start('workers', { FILES_DIR: empty }),
  ])) {
    expect(refused.first).toBe(1);
    expect(refused.told()).toContain(`the folder ${empty} is not the file store of this installation: it has no file`);
    expect(refused.told()).toContain('files adopt');
  }
  await mkdir(empty);
  await writeFile(join(empty, 'store-id'), '11111111-2222-3333-4444-555555555555\n');
  const api = await startApi({ env: { FILES_DIR: empty } });
  await expect(api.services.storeCheck.guard()).rejects.toThrow("another installation's");
  expect((await api.as().get('/readyz').expect(503)).body).toMatchObject({ code: 'service_unavailable' });
});

test('MySQL unreachable at boot › the process starts, and is not ready', async () => {
  await (await openTestServices()).storeCheck.guard();
  const { DATABASE_URL = '', FILES_DIR = '' } = await installation();
  const wrong = new URL(DATABASE_URL);
  wrong.port = String(await freePort());
  const waiting = await start('api', { DATABASE_URL: wrong.href, FILES_DIR });
  const { port } = waiting.first as { port: number };
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});

test('a check without a result at first › is repeated until it has one', async () => {
  const services = await openTestServices();
  const get = jest.spyOn(LocalFileStore.prototype, 'get').mockRejectedValueOnce(new Error('unreachable'));
  await services.storeCheck.guard();
  expect(services.storeCheck['storeId']).toBeUndefined();
  await eventually(() => services.storeCheck['storeId'] !== undefined);
  expect(get.mock.calls.length).toBeGreaterThan(1);
  get.mockRestore();
});

test('another store that is found late › ends the process with the same words', async () => {
  const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const shown = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const responses = [new Error('away'), new ConfigurationError(['another store'])];
  const identify = () => Promise.reject(responses.shift() ?? new Error());
  const check = new StoreCheck({ identify, confirm: () => Promise.resolve() }, createLogger('silent', 'test'));
  await check.guard();
  await eventually(() => exit.mock.calls.length > 0);
  expect(exit).toHaveBeenCalledWith(1);
  expect(shown).toHaveBeenCalledWith(expect.stringContaining('another store'));
});

test('files adopt › makes the present store the installation’s, and the one before is refused', async () => {
  const old = await openTestServices();
  await old.storeCheck.guard();
  const moved = join(folder, 'moved');
  const env = { PATH: process.env['PATH'] ?? '', ...(await installation()), FILES_DIR: moved };
  const script = join(projectRoot, 'dist/cli/index.js');
  const adopted = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [script, 'files', 'adopt'], { env }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(stdout),
    );
  });
  expect(JSON.parse(adopted)).toEqual({
    store: `the folder ${moved}`,
    storeId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    replaced: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  await (await openTestServices({ env: { FILES_DIR: moved } })).storeCheck.guard();
  await expect((await openTestServices()).storeCheck.guard()).rejects.toThrow('not the file store');
});

test('folders of uploads whose process was killed › are removed after an hour, also if this one has its id; those of one that runs stay, whatever the clock says', async () => {
  const ended = uploadFolders(spawnSync(process.execPath, ['--version']).pid);
  const [left, reused] = [`${ended}left`, `${uploadFolders()}reused`];
  const [young, used, own] = [`${ended}young`, `${uploadFolders(process.ppid)}used`, `${uploadFolders()}own`];
  await Promise.all([left, reused, young, used, own].map((path) => mkdir(path)));
  await Promise.all([left, reused, used].map((path) => utimes(path, new Date(0), new Date(0))));
  expect(await removeAbandonedUploads()).toBeGreaterThanOrEqual(2);
  for (const path of [left, reused]) await expect(readFile(path)).rejects.toThrow('ENOENT');
  // It fails for a folder that is not there.
  for (const path of [young, used, own]) await rm(path, { recursive: true });
});
