import { once } from 'node:events';
import { promises } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { StoredFile } from '../../support/models';
import { cleanUp } from '../../../shared/schedules/cleanUp';
import { MovableClock } from '../../support/clock';
import { eventually } from '../../support/eventually';
import { createCompany } from '../../support/factories';
import { heldByBuffers } from '../../support/memory';
import { pdf, png } from '../../support/images';
import { installation } from '../../support/installation';
import { openFilesUnder, storedKeys, traces } from '../../support/receipts';
import { LocalS3 } from '../../support/s3';
import { startApi, type Caller, type TestApi } from '../../support/server';

const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;
const clock = new MovableClock();
let api: TestApi;
let caller: Caller;
let token: string;

beforeAll(async () => {
  api = await startApi({ clock });
  token = (await createCompany(api.services)).token;
  caller = api.as(token);
});

const large = (): Buffer => Buffer.concat([pdf(), Buffer.alloc(9 * MIB, 'receipt '), pdf()]);
const send = (bytes: Buffer) => caller.post('/api/receipts').attach('file', bytes, 'a');
/** Uploads whose row cannot be inserted yet: another transaction has locked the one of the same content. */
const insertsThatWait = () =>
  api.services.sql.rows(
    "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'INSERT INTO stored_files%'",
  );
const idOf = (response: { body: unknown }): number => (response.body as { id: number }).id;

async function download(base: string, id: number, bearer = token): Promise<IncomingMessage> {
  const sent = get(`${base}/api/receipts/${id}`, { agent: false, headers: { Authorization: `Bearer ${bearer}` } });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

describe('an upload that a fault stops', () => {
  test('before its file is put › 503; its row is removed after an hour, and not before', async () => {
    const putFile = jest.spyOn(api.services.files, 'putFile').mockRejectedValueOnce(new Error('no space'));
    await send(png(31, 1)).expect(500);
    expect(putFile).toHaveBeenCalledTimes(1);
    expect(await traces()).toEqual({ rows: 1, files: [], temporary: [] });
    expect(await cleanUp(api.services)).toMatchObject({ receipts: 0 });
    clock.moveOn(HOUR_MS + 1);
    expect(await cleanUp(api.services)).toMatchObject({ receipts: 1 });
    expect(await traces()).toEqual({ rows: 0, files: [], temporary: [] });
  });

  test('since the disk for uploads is full or missing › 503 with Retry-After, and nothing is left of it', async () => {
    const before = await traces();
    // What is written to /dev/full meets a full disk.
    const { mkdtemp } = promises;
    jest.spyOn(promises, 'mkdtemp').mockImplementationOnce(async (...given: Parameters<typeof mkdtemp>) => {
      const folder = await mkdtemp(...given);
      await promises.symlink('/dev/full', join(folder.toString(), 'file'));
      return folder;
    });
    const full = await send(png(33, 1)).expect(503);
    jest
      .spyOn(promises, 'mkdtemp')
      .mockRejectedValueOnce(Object.assign(new Error('no such folder'), { code: 'ENOENT', syscall: 'mkdtemp' }));
    const missing = await send(png(33, 1)).expect(503);
    for (const { body, headers } of [full, missing]) {
      expect(body).toMatchObject({ code: 'service_unavailable' });
      expect(headers['retry-after']).toMatch(/^\d+$/);
    }
    expect(await traces()).toEqual(before);
  });

  test('after its file is put › is not shown, and the file goes with the row; the same upload may come again', async () => {
    const perform = api.services.perform.bind(api.services);
    let calls = 0;
    jest.spyOn(api.services, 'perform').mockImplementation((scope, work) => {
      calls += 1;
      return calls === 2 ? Promise.reject(new Error('killed')) : perform(scope, work);
    });
    await send(png(32, 1)).expect(500);
    jest.restoreAllMocks();
    const row = await StoredFile.findOne({ rejectOnEmpty: true });
    expect(await traces()).toEqual({ rows: 1, files: [row.fileKey], temporary: [] });
    await caller.get(`/api/receipts/${row.id}`).expect(404);

    clock.moveOn(HOUR_MS - 1_000);
    expect(idOf(await send(png(32, 1)).expect(201))).toBe(row.id);
    clock.moveOn(2 * HOUR_MS);
    expect(await cleanUp(api.services)).toMatchObject({ receipts: 0 });
    await caller.get(`/api/receipts/${row.id}`).expect(200);

    await StoredFile.update({ storedAt: null }, { where: { id: row.id } });
    const removed = (await Promise.all([1, 2, 3].map(() => cleanUp(api.services)))).map(({ receipts }) => receipts);
    expect(removed.reduce((sum, count) => sum + count)).toBe(1);
    expect(await traces()).toEqual({ rows: 0, files: [], temporary: [] });
    await send(png(32, 1)).expect(201);
    expect(await storedKeys()).toEqual([row.fileKey]);
  });

  test('while the clean-up removes what an earlier one left › waits for it, and is stored anew', async () => {
    const { id, fileKey } = await StoredFile.findOne({ rejectOnEmpty: true });
    await StoredFile.update({ storedAt: null, updatedAt: new Date(0) }, { where: { id }, silent: true });
    let uploading: Promise<{ body: unknown }> | undefined;
    const remove = api.services.files.remove.bind(api.services.files);
    jest.spyOn(api.services.files, 'remove').mockImplementation(async (key) => {
      uploading = send(png(32, 1))
        .expect(201)
        .then((response) => response as { body: unknown });
      await eventually(async () => (await insertsThatWait()).length === 1);
      await remove(key);
    });
    expect(await cleanUp(api.services)).toMatchObject({ receipts: 1 });
    const again = idOf((await uploading) ?? { body: {} });
    expect(again).not.toBe(id);
    expect(await storedKeys()).toEqual([fileKey]);
    await caller.get(`/api/receipts/${again}`).expect(200);
  });

  test('logos › are no receipts, and are not cleaned up', async () => {
    await caller.put('/api/company/logo').attach('logo', png(), 'a.png').expect(200);
    await StoredFile.update({ storedAt: null }, { where: { kind: 'logo' } });
    clock.moveOn(2 * HOUR_MS);
    expect(await cleanUp(api.services)).toMatchObject({ receipts: 0 });
    await caller.get('/api/company/logo').expect(200);
  });
});

describe('a download', () => {
  test('of a client that disconnects, or never reads › leaves no file open', async () => {
    const id = idOf(await send(large()).expect(201));
    const { FILES_DIR = '' } = await installation();
    const folder = join(FILES_DIR, 'receipt');
    const responses = await Promise.all([1, 2, 3, 4].map(() => download(api.url, id)));
    expect(openFilesUnder(folder).length).toBeGreaterThan(0);
    for (const response of responses) response.destroy();
    await eventually(() => openFilesUnder(folder).length === 0);
    await caller.get(`/api/receipts/${id}`).expect(200);
  });

  test('holds no file in memory whole › twenty unread ones of 9 MiB add less than half of their bytes', async () => {
    const id = idOf(await send(large()).expect(201));
    const { FILES_DIR = '' } = await installation();
    const before = heldByBuffers();
    const responses = await Promise.all(Array.from({ length: 20 }, () => download(api.url, id)));
    // A file that was read to its end is closed.
    expect(openFilesUnder(join(FILES_DIR, 'receipt'))).toHaveLength(20);
    expect(heldByBuffers() - before).toBeLessThan((20 * 9 * MIB) / 2);
    for (const response of responses) response.destroy();
  });
});

describe('with a bucket', () => {
  let s3: LocalS3;
  let away: TestApi;
  let bearer: string;

  beforeAll(async () => {
    s3 = await LocalS3.start();
    away = await startApi({ env: s3.env, clock });
    // The folder of the other tests is this installation's store.
    await away.services.sql.run('UPDATE file_store SET storeId = NULL');
    bearer = (await createCompany(away.services)).token;
  });
  afterAll(() => s3.close());

  test('a receipt › goes there and comes from there, its first bytes before the store has sent the rest', async () => {
    const bytes = large();
    const stored = await away.as(bearer).post('/api/receipts').attach('file', bytes, 'a').expect(201);
    const keys = [...s3.objects.keys()];
    expect(keys).toEqual([
      'of/the-tests/store-id',
      expect.stringMatching(/^of\/the-tests\/receipt\/\d+\/\w{64}\.pdf$/),
    ]);
    expect(s3.objects.get(keys[1] ?? '')?.bytes.equals(bytes)).toBe(true);
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    s3.fault({ match: /^GET.*receipt/, times: 1, does: { pauseAfter: MIB, until } });
    const response = await download(away.url, idOf(stored), bearer);
    const [first] = (await once(response, 'data')) as [Buffer];
    expect(first.equals(bytes.subarray(0, first.length))).toBe(true);
    release();
    let length = first.length;
    for await (const chunk of response as AsyncIterable<Buffer>) length += chunk.length;
    expect(length).toBe(bytes.length);
  });

  test('that breaks off in the middle › the client sees that it is not whole, and the API goes on', async () => {
    const stored = await away.as(bearer).post('/api/receipts').attach('file', large(), 'a').expect(201);
    s3.fault({ match: /^GET.*receipt/, times: 1, does: { cutAfter: 2 * MIB } });
    const response = await download(away.url, idOf(stored), bearer);
    const read = async (): Promise<void> => {
      for await (const _chunk of response);
    };
    await expect(read()).rejects.toThrow('aborted');
    await away
      .as(bearer)
      .get(`/api/receipts/${idOf(stored)}`)
      .expect(200);
  });

  test('that does not respond › delays requests for files alone, and gets few of one company at the same time', async () => {
    const by = away.as(bearer);
    const stored = await by.post('/api/receipts').attach('file', png(4, 4), 'a').expect(201);
    await by.put('/api/company/logo').attach('logo', png(), 'a.png').expect(200);
    const { files } = away.services;
    const [open, get] = [files.open.bind(files), files.get.bind(files)];
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    let calls = 0;
    const responds = async (): Promise<void> => {
      calls += 1;
      await until;
    };
    jest.spyOn(files, 'open').mockImplementation((key, first) => responds().then(() => open(key, first)));
    jest.spyOn(files, 'get').mockImplementation((key) => responds().then(() => get(key)));
    const paths = Array.from({ length: 30 }, () => [`/api/receipts/${idOf(stored)}`, '/api/company/logo']).flat();
    const statuses = Promise.all(paths.map((path) => by.get(path).then(({ status }) => status)));
    // A fifth of the slots for calls of the store.
    await eventually(() => calls === 52);
    await by.get('/api/clients').expect(200);
    const { token: other } = await createCompany(away.services);
    await away.as(other).post('/api/receipts').attach('file', png(5, 5), 'a').expect(201);
    expect(calls).toBe(52);
    release();
    expect(await statuses).toEqual(paths.map(() => 200));
  });

  test('that is unreachable › 503 for upload and download, and nothing is left but a row for the clean-up', async () => {
    const stored = await away.as(bearer).post('/api/receipts').attach('file', png(), 'a').expect(201);
    s3.fault({ match: /receipt/, times: 99, does: 403 });
    expect(
      (
        await away
          .as(bearer)
          .get(`/api/receipts/${idOf(stored)}`)
          .expect(503)
      ).body,
    ).toMatchObject({
      code: 'service_unavailable',
    });
    await away.as(bearer).post('/api/receipts').attach('file', png(2, 3), 'a').expect(503);
    expect([...s3.objects.keys()].filter((key) => key.includes('receipt'))).toHaveLength(4);
  });
});
