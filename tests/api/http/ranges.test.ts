import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { LocalFileStream } from '../../../shared/engine/files/LocalFileStream';
import { eventually } from '../../support/eventually';
import { createCompany, createInvoice } from '../../support/factories';
import { pdf, png } from '../../support/images';
import { startApi, type TestApi } from '../../support/server';
import { FairQueue } from '../../../shared/engine/fair';
import { SMALL_FILE_BYTES } from '../../../shared/engine/files/FileStore';
import { pdfFileKey } from '../../../shared/invoiceDocuments/invoicePdf';
import { loadInvoiceDocument } from '../../../shared/invoiceDocuments/loadInvoiceDocument';

let api: TestApi;
let token: string;
let companyId: number;

beforeAll(async () => {
  api = await startApi({ env: { JOB_WAIT_MS: '20' } });
  ({ companyId, token } = await createCompany(api.services));
});

/** A file whose every part is recognised. */
const bytesOf = (length: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 32) }, (_, block) => createHash('sha256').update(String(block)).digest()),
  ).subarray(0, length);

/** A PDF of so many bytes. */
function receiptOf(length: number): Buffer {
  const rest = length - pdf('').length;
  return pdf(bytesOf(rest).toString('hex').slice(0, rest));
}

interface File {
  path: string;
  bytes: Buffer;
}

async function receipt(bytes: Buffer): Promise<File> {
  const { body } = await api.as(token).post('/api/receipts').attach('file', bytes, 'a').expect(201);
  return { path: `/api/receipts/${(body as { id: number }).id}`, bytes };
}

async function invoicePdf(bytes: Buffer): Promise<File> {
  const { id } = await createInvoice(api.services, companyId);
  const { key } = await loadInvoiceDocument(api.services, companyId, id);
  await api.services.files.put(pdfFileKey(companyId, key), bytes);
  return { path: `/api/invoices/${id}/pdf`, bytes };
}

const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(api.url + path, { method, headers: { Authorization: `Bearer ${token}`, ...headers } });

const contentOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

/** Held whole, and read as a stream. */
const sizes: [string, number][] = [
  ['small', 5_000],
  ['large', SMALL_FILE_BYTES * 4 + 77],
];

describe.each(sizes)('a range of a %s file', (_, size) => {
  let files: File[];
  beforeAll(async () => {
    files = [await receipt(receiptOf(size)), await invoicePdf(bytesOf(size))];
  });

  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-99', 10, 99],
    ['bytes=4000-', 4_000, size - 1],
    ['bytes=-50', size - 50, size - 1],
    [`bytes=${size - 1}-`, size - 1, size - 1],
    ['bytes=100-999999999', 100, size - 1],
    ['bytes=-999999999', 0, size - 1],
  ])('%s › 206 with exactly that part', async (range, first, last) => {
    for (const { path, bytes } of files) {
      const response = await get(path, { Range: range });
      expect([response.status, response.headers.get('content-range')]).toEqual([
        206,
        `bytes ${first}-${last}/${bytes.length}`,
      ]);
      expect(response.headers.get('content-length')).toBe(String(last - first + 1));
      expect((await contentOf(response)).equals(bytes.subarray(first, last + 1))).toBe(true);
    }
  });

  test('that begins past the end › 416 with the size, as a problem', async () => {
    for (const { path, bytes } of files) {
      const response = await get(path, { Range: `bytes=${bytes.length}-` });
      expect((await get(path, { Range: 'bytes=-0' })).status).toBe(416);
      expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
      expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(response.headers.has('etag')).toBe(false);
      expect(await response.json()).toMatchObject({ code: 'range_not_satisfiable' });
    }
  });

  test.each(['bytes=1-2,5-6', 'bytes=9-3', 'bytes=-', 'bytes=x', 'items=0-1', 'nonsense'])(
    '%s › is ignored: the whole file, and the news that ranges are taken',
    async (range) => {
      for (const { path, bytes } of files) {
        const response = await get(path, { Range: range });
        expect([response.status, response.headers.get('accept-ranges')]).toEqual([200, 'bytes']);
        expect((await contentOf(response)).equals(bytes)).toBe(true);
      }
    },
  );

  test('of HEAD › is ignored', async () => {
    for (const { path, bytes } of files) {
      const { status, headers } = await get(path, { Range: 'bytes=0-0' }, 'HEAD');
      expect([status, headers.get('content-length'), headers.get('accept-ranges')]).toEqual([
        ...[200, String(bytes.length), 'bytes'],
      ]);
    }
  });

  test('of a version that the client has whole › 304', async () => {
    for (const { path } of files) {
      const etag = (await get(path)).headers.get('etag') ?? '';
      expect((await get(path, { Range: 'bytes=0-0', 'If-None-Match': etag })).status).toBe(304);
    }
  });
});

describe('If-Range', () => {
  test.each([
    ['receipt', () => receipt(png())],
    ['PDF', () => invoicePdf(bytesOf(5_000))],
  ] as const)(
    'the tag of a %s › is met; another tag or a date is not, and the whole file comes',
    async (_what, make) => {
      const { path } = await make();
      const etag = (await get(path)).headers.get('etag') ?? '';
      expect(etag).toMatch(/^"/);
      for (const [condition, status] of [
        [etag, 206],
        ['"other"', 200],
        [`W/${etag}`, 200],
        [new Date().toUTCString(), 200],
      ] as const) {
        expect((await get(path, { Range: 'bytes=0-1', 'If-Range': condition })).status).toBe(status);
      }
    },
  );
});

describe('the ETag of a PDF', () => {
  test('of an unchanged invoice › 304, for which neither the store nor a worker is needed', async () => {
    const { path } = await invoicePdf(bytesOf(5_000));
    const etag = (await get(path)).headers.get('etag') ?? '';
    const open = jest.spyOn(api.services.files, 'open');
    const response = await get(path, { 'If-None-Match': etag });
    expect([response.status, response.headers.get('etag')]).toEqual([304, etag]);
    expect(open).not.toHaveBeenCalled();
  });

  test('of an invoice that has changed › is another', async () => {
    const { path } = await invoicePdf(bytesOf(5_000));
    const etag = (await get(path)).headers.get('etag') ?? '';
    await api.as(token).put(path.replace('/pdf', '')).send({ notes: 'Changed' }).expect(200);
    // Nothing renders the new version here.
    expect((await get(path, { 'If-None-Match': etag })).status).toBe(503);
  });
});

describe('the file of a range', () => {
  /** Every stream that the store has opened. */
  function openedStreams(): Readable[] {
    const streams: Readable[] = [];
    const { files } = api.services;
    const open = files.open.bind(files);
    jest.spyOn(files, 'open').mockImplementation(async (key, first) => {
      const file = await open(key, first);
      if (file?.content instanceof Readable) streams.push(file.content);
      return file;
    });
    return streams;
  }

  test.each(['bytes=0-9', 'bytes=100000-100009', 'bytes=9999999-'])('%s › is closed in the end', async (range) => {
    const { path } = await receipt(receiptOf(SMALL_FILE_BYTES * 3));
    const streams = openedStreams();
    await (await get(path, { Range: range })).arrayBuffer();
    expect(streams).toHaveLength(1);
    await eventually(() => Promise.resolve(streams.every(({ destroyed }) => destroyed)));
  });

  test('is read from its first byte on › the last byte of a large file costs one read', async () => {
    const { path, bytes } = await receipt(receiptOf(SMALL_FILE_BYTES * 20));
    let readBytes = 0;
    const push = jest.spyOn(LocalFileStream.prototype, 'push').mockImplementation(function (this: Readable, piece) {
      readBytes += (piece as Buffer | null)?.length ?? 0;
      return Readable.prototype.push.call(this, piece);
    });
    for (const range of [`bytes=${bytes.length - 1}-`, 'bytes=-1']) {
      expect(await contentOf(await get(path, { Range: range }))).toEqual(bytes.subarray(-1));
    }
    expect(readBytes).toBe(2);
    push.mockClear();
    await get(path, {}, 'HEAD');
    expect(push).not.toHaveBeenCalled();
  });

  test('is read in the turn of its company › while that has no slot, nothing is read; another’s file arrives', async () => {
    const { path, bytes } = await receipt(receiptOf(SMALL_FILE_BYTES * 3));
    const other = await createCompany(api.services);
    const uploaded = await api.as(other.token).post('/api/receipts').attach('file', bytes, 'a').expect(201);
    const reads: number[] = [];
    let isAsked = false;
    // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its queue below
    const { comeBack } = FairQueue.prototype;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    jest.spyOn(FairQueue.prototype, 'comeBack').mockImplementation(async function (this: FairQueue, flow) {
      if (flow.key === companyId) {
        isAsked = true;
        await held;
      }
      const chargedMs = await comeBack.call(this, flow);
      reads.push(Number(flow.key));
      return chargedMs;
    });
    const content = get(path).then(contentOf);
    await eventually(() => isAsked);
    const others = await fetch(`${api.url}/api/receipts/${(uploaded.body as { id: number }).id}`, {
      headers: { Authorization: `Bearer ${other.token}` },
    });
    expect((await contentOf(others)).equals(bytes)).toBe(true);
    expect(reads.filter((key) => key === companyId)).toEqual([]);
    expect(reads.length).toBeGreaterThanOrEqual(3);
    release();
    expect((await content).equals(bytes)).toBe(true);
  });
});
