import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Event, StoredFile } from '../../support/models';
import { FileWindow } from '../../../shared/receipts/formats/FileWindow';
import { createCompany, createKey } from '../../support/factories';
import { jpeg, pdf, png, webp } from '../../support/images';
import { installation } from '../../support/installation';
import { storedKeys, traces } from '../../support/receipts';
import { startApi, type Caller, type TestApi } from '../../support/server';

interface ReceiptBody {
  id: number;
  receiptUrl: string;
  contentType: string;
  size: number;
}

const publicUrl = 'https://billing.example.com';
let api: TestApi;
let companyId: number;
let caller: Caller;

beforeAll(async () => {
  api = await startApi({ env: { PUBLIC_URL: `${publicUrl}/` } });
});
beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});
afterEach(async () => {
  expect((await traces()).temporary).toEqual([]);
});

const send = (bytes: Buffer, options: { filename?: string; contentType?: string } = {}, field = 'file') =>
  caller.post('/api/receipts').attach(field, bytes, { filename: 'receipt', ...options });
const store = async (bytes: Buffer): Promise<ReceiptBody> => (await send(bytes).expect(201)).body as ReceiptBody;
const idOf = (response: { body: unknown }): number => (response.body as ReceiptBody).id;

describe('a receipt', () => {
  test.each([
    ['JPEG', jpeg(), 'image/jpeg', 'jpg', 'inline'],
    ['PNG', png(), 'image/png', 'png', 'inline'],
    ['WebP', webp(), 'image/webp', 'webp', 'inline'],
    ['PDF', pdf(), 'application/pdf', 'pdf', 'attachment'],
  ])('that is a %s › is stored and served as it was sent', async (_what, bytes, contentType, ending, disposition) => {
    const response = await send(bytes, { contentType }).expect(201);
    const { id } = response.body as ReceiptBody;
    const receiptUrl = `${publicUrl}/api/receipts/${id}`;
    expect(response.body).toEqual({ id, receiptUrl, contentType, size: bytes.length });
    expect(response.headers['location']).toBe(`/api/receipts/${id}`);

    const shown = await caller.get(`/api/receipts/${id}`).buffer(true).responseType('blob').expect(200);
    expect(bytes.equals(shown.body as Buffer)).toBe(true);
    expect(shown.headers).toMatchObject({
      'content-type': contentType,
      'content-length': `${bytes.length}`,
      'content-disposition': `${disposition}; filename="receipt-${id}.${ending}"`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
    });

    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const row = await StoredFile.findOne({ where: { companyId, id }, rejectOnEmpty: true });
    expect(row).toMatchObject({ fileKey: `receipt/${companyId}/${sha256}.${ending}`, kind: 'receipt', contentType });
    expect(row.storedAt).not.toBeNull();
    const { FILES_DIR = '' } = await installation();
    expect((await readFile(join(FILES_DIR, row.fileKey))).equals(bytes)).toBe(true);
    const event = await Event.findOne({ where: { companyId, type: 'receipt.created' }, rejectOnEmpty: true });
    expect(event).toMatchObject({ subjectType: 'receipt', subjectId: id });
  });

  test('may come in any field, under any file name, with or without a type, and beside other fields', async () => {
    await send(png(3, 3), { filename: '../../x.exe', contentType: 'application/octet-stream' }, 'upload[]').expect(201);
    await send(jpeg(3, 3), { contentType: 'image/JPG; q=1' }).expect(201);
    await caller.post('/api/receipts').field('note', 'lunch').attach('file', png(3, 4)).expect(201);
    const { token } = await createKey(api.services, companyId);
    const body = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'),
      webp(),
      Buffer.from(
        '\r\n--x\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; name="b"\r\n\r\nlunch\r\n--x--\r\n',
      ),
    ]);
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x', Authorization: `Bearer ${token}` };
    const response = await fetch(`${api.url}/api/receipts`, { method: 'POST', headers, body });
    expect([response.status, await response.json()]).toMatchObject([201, { contentType: 'image/webp' }]);
  });

  test('with something after its end › is accepted, as phones make it', async () => {
    await send(Buffer.concat([jpeg(), Buffer.alloc(200_000, 'video')])).expect(201);
    await send(Buffer.concat([png(), Buffer.from('\n')])).expect(201);
    await send(Buffer.concat([pdf(), Buffer.alloc(500)])).expect(201);
    await send(Buffer.concat([webp(), Buffer.from('x')])).expect(201);
  });

  test('whose end marker lies across the pieces in which it is read › is whole', async () => {
    for (const length of [65_535, 65_536, 65_537, 131_000]) {
      const bytes = jpeg();
      const scan = bytes.subarray(0, -2);
      await send(Buffer.concat([scan, Buffer.alloc(length, 1), bytes.subarray(-2)])).expect(201);
    }
    for (let filler = 65_500; filler < 65_540; filler += 1) {
      const bytes = Buffer.concat([jpeg().subarray(0, -2), Buffer.alloc(filler, 1), jpeg().subarray(-2)]);
      await send(bytes).expect(201);
    }
  });

  test('is looked through once for each upload', async () => {
    const looks = jest.spyOn(FileWindow, 'over');
    await store(jpeg(7, 7));
    expect(looks).toHaveBeenCalledTimes(1);
  });

  test('of exactly 10 MiB › is stored, one byte more is 413', async () => {
    const whole = Buffer.concat([pdf(), Buffer.alloc(10 * 1024 * 1024 - 2 * pdf().length), pdf()]);
    expect(await store(whole)).toMatchObject({ size: 10 * 1024 * 1024 });
    await send(Buffer.concat([whole, Buffer.from(' ')])).expect(413);
  });

  test('sent again, or twice at the same time › has the same id and URL, and one file', async () => {
    const first = await store(png(9, 9));
    expect(await store(png(9, 9))).toEqual(first);
    const many = await Promise.all(Array.from({ length: 8 }, () => store(png(9, 8))));
    expect(new Set(many.map(({ id }) => id)).size).toBe(1);
    expect(await StoredFile.count({ where: { companyId } })).toBe(2);
    expect((await storedKeys()).filter((key) => key.startsWith(`receipt/${companyId}/`))).toHaveLength(2);
    expect(await Event.count({ where: { companyId, type: 'receipt.created' } })).toBe(2);
  });

  test('is its company’s alone: another has the same content under its own id, and cannot see this one', async () => {
    const { id } = await store(png());
    const other = await createCompany(api.services);
    const stranger = api.as(other.token);
    const missing = await stranger.get(`/api/receipts/${id}`).expect(404);
    expect(missing.body).toMatchObject({ code: 'not_found' });
    expect(missing.headers).not.toHaveProperty('etag');
    expect(idOf(await stranger.post('/api/receipts').attach('file', png(), 'a').expect(201))).not.toBe(id);
    await caller.get(`/api/receipts/${id}`).expect(200);
  });

  test('is 404 for unknown ids, logos, and what was never stored to the end', async () => {
    await caller.put('/api/company/logo').attach('logo', png(), 'a.png').expect(200);
    const logo = await StoredFile.findOne({ where: { companyId }, rejectOnEmpty: true });
    await caller.get(`/api/receipts/${logo.id}`).expect(404);
    await caller.get('/api/receipts/999999999').expect(404);
    await caller.get('/api/receipts/99999999999999999999').expect(404);
    await caller.get('/api/receipts/x').expect(400);
    const { id } = await store(png(5, 5));
    await StoredFile.update({ storedAt: null }, { where: { companyId, id } });
    await caller.get(`/api/receipts/${id}`).expect(404);
  });

  test('needs the scope: write to store, read to get', async () => {
    const { id } = await store(png());
    const reader = api.as((await createKey(api.services, companyId, { scopes: ['read'] })).token);
    await reader.get(`/api/receipts/${id}`).expect(200);
    await reader.post('/api/receipts').attach('file', png(), 'a').expect(403);
    await api.as().get(`/api/receipts/${id}`).expect(401);
    await caller.put(`/api/receipts/${id}`).expect(405);
  });

  test('that a client has already › is 304; HEAD has the headers and opens nothing', async () => {
    const { id } = await store(png());
    const { headers } = await caller.get(`/api/receipts/${id}`).expect(200);
    const open = jest.spyOn(api.services.files, 'open');
    const same = await caller
      .get(`/api/receipts/${id}`)
      .set('If-None-Match', headers['etag'] ?? '')
      .expect(304);
    expect(same.headers).toMatchObject({ etag: headers['etag'], 'cache-control': 'private, no-cache' });
    const head = await caller.head(`/api/receipts/${id}`).expect(200);
    expect(head.headers['content-length']).toBe(`${png().length}`);
    expect(open).not.toHaveBeenCalled();
    open.mockRestore();
  });

  test('whose file is gone from the store › is 404 without the headers of a file', async () => {
    const { id } = await store(png(6, 6));
    await api.services.files.remove((await StoredFile.findOne({ where: { id }, rejectOnEmpty: true })).fileKey);
    const { headers, body } = await caller.get(`/api/receipts/${id}`).expect(404);
    expect(body).toMatchObject({ code: 'not_found' });
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('content-disposition');
    expect(idOf(await send(png(6, 6)).expect(201))).toBe(id);
    await caller.get(`/api/receipts/${id}`).expect(200);
  });
});

describe('an idempotency key on a receipt', () => {
  test('the same file again › gets the same response; another file 422', async () => {
    const first = await send(png(4, 4)).set('Idempotency-Key', 'lunch').expect(201);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    const again = await send(png(4, 4)).set('Idempotency-Key', 'lunch').expect(201);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect([again.body, again.headers['location']]).toEqual([first.body, first.headers['location']]);
    await send(png(4, 5)).set('Idempotency-Key', 'lunch').expect(422);
    await send(Buffer.from('no picture')).set('Idempotency-Key', 'lunch').expect(400);
    expect(await StoredFile.count({ where: { companyId } })).toBe(1);
  });

  test('after a refused upload › is free for the right one', async () => {
    await send(png().subarray(0, 40)).set('Idempotency-Key', 'dinner').expect(400);
    await send(png(7, 7)).set('Idempotency-Key', 'dinner').expect(201);
  });
});
