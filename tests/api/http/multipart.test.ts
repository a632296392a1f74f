import { type Part, readMultipart } from '../../../api/http/routing/readMultipart';
import { createCompany } from '../../support/factories';
import { png } from '../../support/images';
import { head, RawConnection } from '../../support/rawHttp';
import { startApi, type TestApi } from '../../support/server';

const KIB = 1024;
const bounds = { headerBytes: 4 * KIB, otherBytes: 64 * KIB, tooLarge: () => new Error('too large') };

type ReadPart = Omit<Part, 'content'> & { content: string };

async function* inPieces(text: string, length: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) yield await Promise.resolve(bytes.subarray(at, at + length));
}

async function read(
  text: string,
  { type = 'multipart/form-data; boundary=x', length = 64 * KIB } = {},
): Promise<ReadPart[]> {
  const parts: ReadPart[] = [];
  for await (const { content, ...part } of readMultipart(inPieces(text, length), type, bounds)) {
    const pieces: Buffer[] = [];
    for await (const piece of content) pieces.push(piece);
    parts.push({ ...part, content: Buffer.concat(pieces).toString() });
  }
  return parts;
}

const part = (headers: string, content = ''): string => `--x\r\n${headers}\r\n\r\n${content}\r\n`;
const disposition = (parameters: string): string => `Content-Disposition: form-data; ${parameters}`;

describe('a multipart body', () => {
  const body = [
    'before the first\r\n',
    part(disposition('name="note"'), 'l\r\n--\r\n-x\r\nunch'),
    part(`${disposition('name=file; filename="a; name=b"')}\r\ncontent-TYPE:image/png`, '\r\n\r\n--'),
    part(disposition("filename*=utf-8''%41")),
    '--x\r\n\r\nwithout headers\r\n',
    '--x--\r\nafter the last',
  ].join('');

  test.each([1, 2, 3, 7, 64, KIB])('in pieces of %i bytes › has the same parts', async (length) => {
    expect(await read(body, { length })).toEqual([
      { name: 'note', hasFileName: false, contentType: null, content: 'l\r\n--\r\n-x\r\nunch' },
      { name: 'file', hasFileName: true, contentType: 'image/png', content: '\r\n\r\n--' },
      { name: null, hasFileName: true, contentType: null, content: '' },
      { name: null, hasFileName: false, contentType: null, content: 'without headers' },
    ]);
  });

  test('a part that is not read › is skipped', async () => {
    const names: (string | null)[] = [];
    const type = 'multipart/form-data; charset=utf-8; BOUNDARY="x"';
    for await (const { name } of readMultipart(inPieces(body, 5), type, bounds)) names.push(name);
    expect(names).toEqual(['note', 'file', null, null]);
  });

  const complete = 'is not a complete multipart/form-data body with one file';
  const quotes = '"'.repeat(5 * KIB);
  test.each([
    ['without an end', part(disposition('name=a')), complete],
    ['that ends in a header', '--x\r\nContent-Disp', complete],
    ['that ends after a boundary', '--x', complete],
    ['with more after a boundary', '--xy\r\n\r\n\r\n--x--', complete],
    ['with a header that is none', `${part('Content-Disposition')}--x--`, complete],
    ['with encoded content', `${part('Content-Transfer-Encoding: base64')}--x--`, complete],
    [
      'with a header of 5 KiB',
      part(disposition(`filename=${quotes}`)),
      'has a part with more than 4096 bytes of headers',
    ],
    ['with a header without an end', `--x\r\n${quotes}`, 'has a part with more than 4096 bytes of headers'],
    ['with a long name', part(disposition(`name=${'n'.repeat(256)}`)), 'has a field whose name has more than 255'],
    ['with much before the first part', 'x'.repeat(65 * KIB), 'too large'],
    ['with much after the last part', `--x--${'x'.repeat(65 * KIB)}`, 'too large'],
  ])('%s › is refused', async (_what, text, message) => {
    for (const length of [1, 64 * KIB]) await expect(read(text, { length })).rejects.toThrow(message);
  });

  test.each(['', '; boundary=', '; boundary=""', `; boundary=${'b'.repeat(71)}`])(
    'with the type "…%s" › is refused',
    async (end) => {
      await expect(read('--x--', { type: `multipart/form-data${end}` })).rejects.toThrow(complete);
    },
  );

  test('with many parts that are not read › is refused once their bytes are too many', async () => {
    const parts = readMultipart(inPieces(part(disposition('name=a')).repeat(2_000), KIB), 'a/b; boundary=x', bounds);
    let seen = 0;
    const count = async (): Promise<void> => {
      for await (const _ of parts) seen++;
    };
    await expect(count()).rejects.toThrow('too large');
    expect(seen).toBeGreaterThan(1_000);
    expect(seen).toBeLessThan(1_600);
  });
});

describe('an upload whose part has a header of megabytes', () => {
  let api: TestApi;
  let token: string;
  beforeAll(async () => {
    api = await startApi();
    ({ token } = await createCompany(api.services));
  });

  test('is refused at its first kilobytes, before the rest is sent', async () => {
    const connection = await RawConnection.open(api.url);
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': 8 * KIB * KIB };
    await connection.send(head('POST', '/api/receipts', token, headers));
    await connection.send(`--x\r\n${disposition(`name=file; filename="a`)}${'"'.repeat(8 * KIB)}`);
    expect(await connection.untilClosed()).toMatch(/^HTTP\/1.1 400 [^]*more than 4096 bytes of headers/);
    await api.as(token).post('/api/receipts').attach('file', png(), 'a').expect(201);
  });
});
