import fs, { promises, readlinkSync } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, open, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { loadConfig } from '../../../../config/env';
import type { S3Config } from '../../../../config/files';
import { type FileStore, type OpenFile, unusedFiles } from '../../../../shared/engine/files/FileStore';
import { LocalFileStore } from '../../../../shared/engine/files/LocalFileStore';
import { S3FileStore } from '../../../../shared/engine/files/S3FileStore';
import { openFileStore } from '../../../../shared/engine/files/openFileStore';
import { eventually } from '../../../support/eventually';
import { LocalS3 } from '../../../support/s3';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let folder: string;
let s3: LocalS3;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'invoicing-stores-'));
  s3 = await LocalS3.start();
});
afterAll(async () => {
  s3.close();
  await rm(folder, { recursive: true, force: true });
});

const bytesOf = async (file: OpenFile | null): Promise<Buffer> =>
  Buffer.isBuffer(file!.content) ? file!.content : buffer(file!.content);
const allKeys = async (store: FileStore): Promise<string[]> => {
  const keys: string[] = [];
  for await (const key of store.keys()) keys.push(key);
  return keys.sort();
};
const inHours = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);

describe.each([
  ['a folder', () => openFileStore({ store: 'local', dir: join(folder, 'store') })],
  ['a bucket', () => openFileStore(loadConfig(s3.env).files)],
])('%s as a file store', (_what, openStore) => {
  let store: FileStore;
  beforeAll(async () => {
    store = openStore();
    await store.create();
  });

  test('keeps bytes under their key, replaces them, and removes them', async () => {
    expect(await store.get('logo/1/a.png')).toBeNull();
    await store.put('logo/1/a.png', Buffer.from('first'));
    await store.put('logo/1/a.png', Buffer.from('the second'));
    expect(await store.get('logo/1/a.png')).toEqual(Buffer.from('the second'));
    await store.remove('logo/1/a.png');
    await store.remove('logo/1/a.png');
    expect(await store.get('logo/1/a.png')).toBeNull();
  });

  test('takes a file of this machine, which stays, and gives it back as a stream with its size', async () => {
    const bytes = Buffer.alloc(3_000_000, 'receipt ');
    const path = join(folder, 'upload');
    await writeFile(path, bytes);
    await store.putFile('receipt/1/b.pdf', path);
    await store.putFile('receipt/1/b.pdf', path);
    await rm(path);
    const opened = await store.open('receipt/1/b.pdf');
    expect(opened?.size).toBe(bytes.length);
    expect((await bytesOf(opened)).equals(bytes)).toBe(true);
    expect(await store.open('receipt/1/none.pdf')).toBeNull();
  });

  test.each([
    [2_999_990, 2_999_990],
    [-10, 2_999_990],
    [-9_000_000, 0],
    [3_000_000, 3_000_000],
    [9_000_000, 3_000_000],
  ])('opens a large file at %d › only what follows is sent, with the size of the whole file', async (from, first) => {
    const bytes = Buffer.alloc(3_000_000, 'receipt ');
    await store.put('receipt/1/tail.pdf', bytes);
    const opened = await store.open('receipt/1/tail.pdf', from);
    expect([opened?.size, opened?.first]).toEqual([bytes.length, first]);
    expect((await bytesOf(opened)).equals(bytes.subarray(first))).toBe(true);
    expect(await store.open('receipt/1/none.pdf', from)).toBeNull();
    await store.remove('receipt/1/tail.pdf');
  });

  test('a file that is not there to be taken › is an error, and nothing is stored', async () => {
    await expect(store.putFile('receipt/1/c.pdf', join(folder, 'none'))).rejects.toThrow('ENOENT');
    expect(await store.get('receipt/1/c.pdf')).toBeNull();
  });

  test('a file that cannot be read › makes the store unavailable, and nothing is stored', async () => {
    await expect(store.putFile('receipt/1/c.pdf', folder)).rejects.toMatchObject({ code: 'service_unavailable' });
    const failure = Object.assign(new Error('EMFILE'), { code: 'EMFILE', syscall: 'open' });
    for (const call of ['copyFile', 'open'] as const) jest.spyOn(promises, call).mockRejectedValue(failure);
    await expect(store.putFile('receipt/1/c.pdf', folder)).rejects.toMatchObject({ cause: failure });
    expect(await store.get('receipt/1/c.pdf')).toBeNull();
  });

  test('keeps an empty file', async () => {
    await store.put('pdf/2/empty.pdf', Buffer.alloc(0));
    expect(await store.get('pdf/2/empty.pdf')).toEqual(Buffer.alloc(0));
    const opened = await store.open('pdf/2/empty.pdf');
    expect(opened?.size).toBe(0);
    expect(await bytesOf(opened)).toEqual(Buffer.alloc(0));
    await store.remove('pdf/2/empty.pdf');
  });

  test.each(['../secret', '/etc/passwd', 'a//b', 'A', '', 'a/../b', 'a/.b'])('refuses the key %j', async (key) => {
    await expect((async () => store.get(key))()).rejects.toThrow('not a file key');
    await expect((async () => store.putFile(key, join(folder, 'x')))()).rejects.toThrow('not a file key');
  });

  test('lists the keys of all files, without unfinished copies and what is no key', async () => {
    const before = await allKeys(store);
    for (const key of ['store-id', 'logo/7/a.png', 'receipt/7/deep.pdf', 'tmp/copy'])
      await store.put(key, Buffer.from('x'));
    const added = (await allKeys(store)).filter((key) => !before.includes(key));
    expect(added).toEqual(['logo/7/a.png', 'receipt/7/deep.pdf', 'store-id']);
    for (const key of [...added, 'tmp/copy']) await store.remove(key);
  });

  test('removes what was not used under a prefix, and spares what was read, and what lies elsewhere', async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `pdf/1/${index}.pdf`);
    for (const key of [...keys, 'pdf/1/used.pdf', 'pdfs/1/other.pdf']) await store.put(key, Buffer.from('%PDF-'));
    expect(await store.removeUnused('pdf', inHours(-1))).toBe(0);
    expect(await store.removeUnused('none', inHours(1))).toBe(0);
    const hour = new Date(Date.now() - HOUR_MS);
    await store.touch('pdf/1/used.pdf', hour);
    expect(await store.removeUnused('pdf', inHours(1))).toBe(31);
    expect(await store.get('pdf/1/3.pdf')).toBeNull();
    expect(await store.get('pdfs/1/other.pdf')).not.toBeNull();
  });

  test('removes what a folder has beyond its bytes, the least recently used first; each folder has its own', async () => {
    for (const name of ['oldest', 'older', 'newer', 'newest']) {
      await store.put(`cache/1/${name}.pdf`, Buffer.alloc(1_000));
      // A store of objects tells times apart by milliseconds, and a file system by ticks of up to 10 ms.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await store.put('cache/2/alone.pdf', Buffer.alloc(2_000));
    expect(await store.removeUnused('cache', inHours(-1), 2_999)).toBe(2);
    const left = (await allKeys(store)).filter((key) => key.startsWith('cache/'));
    expect(left).toEqual(['cache/1/newer.pdf', 'cache/1/newest.pdf', 'cache/2/alone.pdf']);
    expect(await store.removeUnused('cache/1', inHours(-1), 1_000)).toBe(1);
    expect(await store.removeUnused('cache', inHours(1))).toBe(2);
  });
});

test('the unused files of a large folder › are found in parts of ten minutes, and other work runs before each', async () => {
  const files = Array.from({ length: 300 }, (_, at) => ({ name: `${at}`, size: 1, usedAt: new Date(at * 200_000) }));
  let isFound = false;
  let turns = 0;
  const count = (): void => {
    turns++;
    if (!isFound) setImmediate(count);
  };
  setImmediate(count);
  const unused = await unusedFiles(files, new Date(0), 40);
  isFound = true;
  expect(unused.map(({ name }) => Number(name))).toEqual(Array.from({ length: 260 }, (_, at) => 259 - at));
  expect(turns).toBeGreaterThanOrEqual(100);
});

describe('a folder', () => {
  test('is never listed as a whole: its names come in parts', async () => {
    const store = new LocalFileStore(join(folder, 'large'));
    await store.create();
    for (let index = 0; index < 100; index++) await store.put(`pdf/1/${index}.pdf`, Buffer.from('x'));
    const whole = jest.spyOn(promises, 'readdir');
    expect(await store.removeUnused('pdf', inHours(1))).toBe(100);
    expect(whole).not.toHaveBeenCalled();
  });

  test('touched a day later › counts as used then; a copy that a crash left is found under tmp', async () => {
    const store = new LocalFileStore(join(folder, 'touched'));
    await store.create();
    await store.put('pdf/1/a.pdf', Buffer.from('x'));
    await store.touch('pdf/1/a.pdf', inHours(1));
    expect(await store.removeUnused('pdf', inHours(0.5))).toBe(1);
    await store.put('pdf/1/a.pdf', Buffer.from('x'));
    await store.touch('pdf/1/a.pdf', inHours(25));
    expect(await store.removeUnused('pdf', inHours(24))).toBe(0);
    expect(await readdir(join(folder, 'touched', 'tmp'))).toEqual([]);
    const left = join(folder, 'touched', 'tmp', 'left-by-a-crash');
    await writeFile(left, 'half');
    await utimes(left, new Date(0), new Date(0));
    expect(await store.removeUnused('tmp', inHours(-1))).toBe(1);
  });
});

/** Node.js does not export the class of its open files. */
async function spyOnSync(mock?: (this: FileHandle) => Promise<void>) {
  const file = await open(folder);
  await file.close();
  const spy = jest.spyOn(Object.getPrototypeOf(file) as FileHandle, 'sync');
  return mock === undefined ? spy : spy.mockImplementation(mock);
}

describe('a folder', () => {
  const unavailable = { code: 'service_unavailable', status: 503, retryable: true };
  const openFolder = async (name: string): Promise<LocalFileStore> => {
    const store = new LocalFileStore(join(folder, name));
    await store.create();
    return store;
  };

  test('keeps its files from other users of the machine, whatever the mode of what it takes', async () => {
    const store = await openFolder('private');
    const path = join(folder, 'public');
    await writeFile(path, 'receipt', { mode: 0o644 });
    await store.put('pdf/1/a.pdf', Buffer.from('%PDF-'));
    await store.putFile('receipt/1/b.pdf', path);
    const root = join(folder, 'private');
    const modeOf = async (name: string) => ((await stat(join(root, name))).mode & 0o777).toString(8);
    for (const name of ['', 'pdf', 'pdf/1', 'receipt/1', 'tmp']) expect(await modeOf(name)).toBe('700');
    for (const name of ['pdf/1/a.pdf', 'receipt/1/b.pdf']) expect(await modeOf(name)).toBe('600');
  });

  test('flushes a file before it gets its name, then its folder, and each folder around a new one', async () => {
    const store = await openFolder('flushed');
    const path = join(folder, 'to-flush');
    await writeFile(path, 'receipt');
    await store.put('logo/1/a.png', Buffer.from('first'));
    const steps: string[] = [];
    const step = (name: string, at: string): void =>
      void steps.push(`${name} ${relative(join(folder, 'flushed'), at).replace(/[0-9a-f-]{36}/, 'copy')}`);
    const { rename } = promises;
    const noteRename: typeof rename = (from, to) => (step('rename to', to as string), rename(from, to));
    jest.spyOn(promises, 'rename').mockImplementation(noteRename);
    const sync = await spyOnSync(function (this: FileHandle) {
      step('flush', readlinkSync(`/proc/self/fd/${this.fd}`));
      return Promise.resolve();
    });
    await store.put('logo/1/a.png', Buffer.from('second'));
    expect(steps.splice(0)).toEqual(['flush tmp/copy', 'rename to logo/1/a.png', 'flush logo/1']);
    await store.putFile('receipt/1/b.pdf', path);
    const around = ['flush ', 'flush receipt'];
    expect(steps).toEqual([...around, 'flush tmp/copy', 'rename to receipt/1/b.pdf', 'flush receipt/1']);
    sync.mockRejectedValue(Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fsync' }));
    await expect(store.putFile('receipt/1/c.pdf', path)).rejects.toMatchObject(unavailable);
  });

  test('on a network volume that flushes no folders › takes files all the same', async () => {
    const store = await openFolder('unflushed');
    (await spyOnSync()).mockRejectedValue(Object.assign(new Error('EINVAL'), { code: 'EINVAL', syscall: 'fsync' }));
    await store.put('logo/1/a.png', Buffer.from('x'));
    expect(await store.get('logo/1/a.png')).toEqual(Buffer.from('x'));
  });

  test('with a folder that was moved to another disk › lists its files too; one that is missing has none', async () => {
    const store = await openFolder('linked');
    await mkdir(join(folder, 'other-disk'));
    await writeFile(join(folder, 'other-disk', 'a.pdf'), 'x');
    await symlink(join(folder, 'other-disk'), join(folder, 'linked', 'receipt'));
    await mkdir(join(folder, 'linked', 'lost+found'));
    await writeFile(join(folder, 'linked', 'lost+found', 'a'), 'x');
    expect(await allKeys(store)).toEqual(['receipt/a.pdf']);
    expect(await allKeys(new LocalFileStore(join(folder, 'none')))).toEqual([]);
  });

  test('that is missing › takes nothing, and is not made', async () => {
    const store = new LocalFileStore(join(folder, 'missing', 'deep'));
    const path = join(folder, 'for-the-missing');
    await writeFile(path, 'x');
    await expect(store.put('pdf/1/a.pdf', Buffer.from('x'))).rejects.toMatchObject(unavailable);
    await expect(store.putFile('receipt/1/a.pdf', path)).rejects.toMatchObject(unavailable);
    await expect(stat(join(folder, 'missing'))).rejects.toThrow('ENOENT');
  });

  test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE'])(
    'whose disk fails with %s › is unavailable',
    async (code) => {
      const store = await openFolder('full');
      const path = join(folder, 'for-the-full');
      await writeFile(path, 'x');
      await store.put('receipt/1/small.pdf', Buffer.from('x'));
      await store.put('receipt/1/large.pdf', Buffer.alloc(100_000));
      const failure = Object.assign(new Error(code), { code, syscall: 'write' });
      for (const call of ['writeFile', 'copyFile', 'open'] as const) {
        jest.spyOn(promises, call).mockRejectedValue(failure);
      }
      const readFile = (_path: unknown, done: (error: Error) => void): void => done(failure);
      jest.spyOn(fs, 'readFile').mockImplementation(readFile as typeof fs.readFile);
      await expect(store.put('pdf/1/a.pdf', Buffer.from('x'))).rejects.toMatchObject(unavailable);
      await expect(store.putFile('receipt/1/a.pdf', path)).rejects.toMatchObject({ ...unavailable, cause: failure });
      await expect(store.get('receipt/1/small.pdf')).rejects.toMatchObject(unavailable);
      await expect(store.open('receipt/1/small.pdf')).rejects.toMatchObject(unavailable);
      await expect(store.open('receipt/1/large.pdf')).rejects.toMatchObject(unavailable);
      jest.restoreAllMocks();
      expect(await store.get('receipt/1/a.pdf')).toBeNull();
      expect(await readdir(join(folder, 'full', 'tmp'))).toEqual([]);
    },
  );
});

describe('a bucket', () => {
  const openBucket = (changes: Record<string, string> = {}, timeoutMs = 20_000): S3FileStore => {
    const files = loadConfig({ ...s3.env, ...changes }).files;
    if (files.store !== 's3') throw new Error('not a bucket');
    return new S3FileStore(files, timeoutMs);
  };
  const refusal = {
    code: 'service_unavailable',
    status: 503,
  };

  test('is listed page by page, and its objects are deleted in batches, with the checksum that old stores ask for', async () => {
    const store = openBucket();
    for (let from = 0; from < 1_100; from += 50) {
      const some = Array.from({ length: 50 }, (_, index) => `many/1/${from + index}.pdf`);
      await Promise.all(some.map((key) => store.put(key, Buffer.from('x'))));
    }
    s3.requests.length = 0;
    expect(await store.removeUnused('many', inHours(1))).toBe(1_100);
    expect(s3.requests.filter((request) => request.startsWith('GET'))).toHaveLength(2);
    expect(s3.requests.filter((request) => request.startsWith('POST'))).toHaveLength(2);
    expect(s3.headers['content-md5']).toMatch(/^[\w+/]{22}==$/);
  });

  test('touched › is asked once for its time, and copied onto itself only when that is older than a day', async () => {
    const store = openBucket();
    await store.put('pdf/1/a.pdf', Buffer.from('%PDF-1'));
    s3.requests.length = 0;
    await store.touch('pdf/1/a.pdf', inHours(23));
    await store.touch('pdf/1/a.pdf', inHours(23));
    expect(s3.requests).toEqual(['HEAD /invoicing/of/the-tests/pdf/1/a.pdf']);
    await store.touch('pdf/1/a.pdf', new Date(Date.now() + DAY_MS + HOUR_MS));
    expect(s3.requests.slice(1)).toEqual(['PUT /invoicing/of/the-tests/pdf/1/a.pdf?x-id=CopyObject']);
    expect(await store.get('pdf/1/a.pdf')).toEqual(Buffer.from('%PDF-1'));
    await expect(store.touch('pdf/1/none.pdf', new Date())).rejects.toMatchObject(refusal);
  });

  test('touched in a store that cannot copy › is written again, and counts as used then', async () => {
    const store = openBucket({}, 5_000);
    await store.put('pdf/1/encrypted.pdf', Buffer.from('%PDF-1'));
    const before = s3.objects.get('of/the-tests/pdf/1/encrypted.pdf')?.modified.getTime() ?? Infinity;
    s3.fault({ match: /CopyObject/, times: 1, does: 501 });
    s3.requests.length = 0;
    const later = new Date(Date.now() + DAY_MS + HOUR_MS);
    await store.touch('pdf/1/encrypted.pdf', later);
    await store.touch('pdf/1/encrypted.pdf', later);
    expect(s3.requests.map((request) => request.slice(0, 4))).toEqual(['HEAD', 'PUT ', 'GET ', 'PUT ']);
    expect(s3.objects.get('of/the-tests/pdf/1/encrypted.pdf')?.bytes).toEqual(Buffer.from('%PDF-1'));
    expect(s3.objects.get('of/the-tests/pdf/1/encrypted.pdf')?.modified.getTime()).toBeGreaterThanOrEqual(before);
  });

  test('touched by many at the same time › is copied once, and again after a copy that failed', async () => {
    const store = openBucket();
    const copies = (): number => s3.requests.filter((request) => request.includes('CopyObject')).length;
    await store.put('pdf/1/read.pdf', Buffer.from('%PDF-1'));
    s3.requests.length = 0;
    const later = new Date(Date.now() + DAY_MS + HOUR_MS);
    const read = async (): Promise<void> => {
      await store.get('pdf/1/read.pdf');
      await store.touch('pdf/1/read.pdf', later);
    };
    s3.fault({ match: /CopyObject/, times: 1, does: 400 });
    await expect(read()).rejects.toMatchObject(refusal);
    await Promise.all([1, 2, 3, 4].map(read));
    await read();
    expect(copies()).toBe(2);
  });

  test('that cannot copy › holds at most two of the files that are touched at the same time', async () => {
    const store = openBucket();
    const keys = [1, 2, 3, 4, 5].map((number) => `pdf/1/held-${number}.pdf`);
    await Promise.all(keys.map((key) => store.put(key, Buffer.alloc(200_000))));
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    s3.fault({ match: /CopyObject/, times: keys.length, does: 501 });
    s3.fault({ match: /^GET .*held/, times: keys.length, does: { pauseAfter: 100_000, until } });
    s3.requests.length = 0;
    const held = (): number => s3.requests.filter((request) => /^GET .*held/.test(request)).length;
    const touches = keys.map((key) => store.touch(key, new Date(Date.now() + DAY_MS + HOUR_MS)));
    await eventually(() => held() >= 2);
    for (let turns = 0; turns < 5; turns++) await store.get('pdf/1/none.pdf');
    expect(held()).toBe(2);
    release();
    await Promise.all(touches);
    expect(held()).toBe(keys.length);
  });

  test('sends no checksum that only AWS knows', async () => {
    await openBucket().put('pdf/1/b.pdf', Buffer.from('x'));
    expect(Object.keys(s3.headers).filter((name) => /checksum|trailer|sdk-checksum/.test(name))).toEqual([]);
    expect(s3.headers['content-encoding']).toBeUndefined();
  });

  test('an error that passes › is retried, for a stream with a new one', async () => {
    const store = openBucket();
    const path = join(folder, 'again');
    await writeFile(path, 'again');
    s3.fault({ match: /^PUT/, times: 2, does: 503 });
    await store.putFile('receipt/1/again.pdf', path);
    s3.fault({ match: /^GET/, times: 2, does: 500 });
    expect(await store.get('receipt/1/again.pdf')).toEqual(Buffer.from('again'));
  });

  test('whose client could not be created › is unavailable, and available as soon as it can', async () => {
    const { files } = loadConfig(s3.env);
    let failures = 1;
    const fails = (): string => {
      if (failures-- > 0) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      return 'us-east-1';
    };
    const store = new S3FileStore(Object.defineProperty({ ...(files as S3Config) }, 'region', { get: fails }));
    await expect(store.get('logo/1/none.png')).rejects.toMatchObject(refusal);
    expect(await store.get('logo/1/none.png')).toBeNull();
  });

  test('one that hangs, refuses, or is not there › is unavailable, and never an absent file', async () => {
    const path = join(folder, 'away');
    await writeFile(path, 'away');
    s3.fault({ match: /receipt.1.slow/, times: 6, does: 'hang' });
    const hanging = openBucket({}, 300);
    await expect(hanging.putFile('receipt/1/slow.pdf', path)).rejects.toMatchObject(refusal);
    await expect(hanging.open('receipt/1/slow.pdf')).rejects.toMatchObject(refusal);
    const wrong: [Record<string, string>, string][] = [
      [{ S3_SECRET_ACCESS_KEY: 'wrong' }, 'responds with the error SignatureDoesNotMatch'],
      [{ S3_BUCKET: 'another' }, 'responds with the error NoSuchBucket'],
      [{ S3_ENDPOINT: 'http://127.0.0.1:1' }, 'cannot be reached'],
    ];
    for (const [changes, what] of wrong) {
      const store = openBucket(changes);
      for (const attempt of [
        () => store.get('logo/1/a.png'),
        () => store.open('logo/1/a.png'),
        () => store.putFile('receipt/1/a.pdf', path),
        () => store.removeUnused('pdf', new Date()),
      ]) {
        await expect(attempt()).rejects.toMatchObject({ ...refusal, message: `the file store ${what} at the moment` });
      }
    }
  });

  test('cut off in the middle of a file › is an error of the stream', async () => {
    const store = openBucket();
    await store.put('receipt/1/cut.pdf', Buffer.alloc(1_000_000));
    s3.fault({ match: /cut/, times: 1, does: { cutAfter: 100_000 } });
    const opened = await store.open('receipt/1/cut.pdf');
    await expect(bytesOf(opened)).rejects.toThrow();
  });

  test('gives the first bytes while the rest is still to come', async () => {
    const store = openBucket();
    await store.put('receipt/1/long.pdf', Buffer.alloc(2_000_000));
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    s3.fault({ match: /long/, times: 1, does: { pauseAfter: 200_000, until } });
    const opened = await store.open('receipt/1/long.pdf');
    const stream = opened!.content as Readable;
    const first = (await stream[Symbol.asyncIterator]().next()) as IteratorResult<Buffer>;
    expect((first.value as Buffer).length).toBeGreaterThan(0);
    release();
    stream.destroy();
  });
});
