import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { json } from 'node:stream/consumers';
import { createCompany } from '../../support/factories';
import { jpeg, pdf, png, svg, webp } from '../../support/images';
import { traces } from '../../support/receipts';
import { eventually } from '../../support/eventually';
import { head, RawConnection } from '../../support/rawHttp';
import { startApi, type Caller, type TestApi } from '../../support/server';

const MIB = 1024 * 1024;
const nothing = { rows: 0, files: [], temporary: [] };
let api: TestApi;
let token: string;
let caller: Caller;

beforeAll(async () => {
  api = await startApi();
  token = (await createCompany(api.services)).token;
  caller = api.as(token);
});
afterEach(async () => {
  expect(await traces()).toEqual(nothing);
});

const send = (bytes: Buffer, contentType?: string, field = 'file') =>
  caller.post('/api/receipts').attach(field, bytes, { filename: 'a', ...(contentType && { contentType }) });

/** A request whose body is written by hand, chunked unless a length is given. */
function open(headers: Record<string, string | number> = {}): ClientRequest {
  const type = 'multipart/form-data; boundary=x';
  return request(`${api.url}/api/receipts`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': type, ...headers },
  });
}
const part = (name: string, type = 'image/png'): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\nContent-Type: ${type}\r\n\r\n`;

async function answerTo(sent: ClientRequest): Promise<{ status: number; body: unknown }> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await json(response) };
}

/** A PNG whose header says another size, with the right checksum. */
function claim(bytes: Buffer, width: number, height: number): Buffer {
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}

describe('an upload that is no whole receipt', () => {
  test.each([
    ['text', Buffer.from('hello')],
    ['one byte', Buffer.from('%')],
    ['a GIF', Buffer.from('GIF89a')],
    ['an SVG', Buffer.from(svg('<script/>'))],
    ['a page', Buffer.from('<html><script>alert(1)</script>%PDF-1.4\n%%EOF')],
    ['a page before a PDF', Buffer.concat([Buffer.from('<script>alert(1)</script>\n'), pdf()])],
    ['a blank before a PDF', Buffer.concat([Buffer.from(' '), pdf()])],
    ['a WAV', Buffer.concat([Buffer.from('RIFF\x04\0\0\0WAVE'), Buffer.alloc(20)])],
  ])('%s › is none of the four kinds', async (_what, bytes) => {
    const { body } = await send(bytes).expect(400);
    expect(body).toMatchObject({
      code: 'validation_failed',
      errors: [{ path: 'file', message: 'must be a JPEG, PNG, WebP or PDF' }],
    });
  });

  const changed = (bytes: Buffer, at: number, byte: number): Buffer => bytes.fill(byte, at, at + 1);
  const half = (bytes: Buffer): Buffer => bytes.subarray(0, Math.floor(bytes.length / 2));
  const large = Buffer.concat([jpeg().subarray(0, -2), Buffer.alloc(300_000, 3)]);
  test.each([
    ['a PNG without its end', png().subarray(0, -12)],
    ['half of a PNG', half(png())],
    ['a PNG cut inside its end', png().subarray(0, -1)],
    ['a PNG of its signature alone', png().subarray(0, 8)],
    ['a PNG that does not begin with its header', Buffer.concat([png().subarray(0, 8), png().subarray(33)])],
    ['a PNG without pixels', Buffer.concat([png().subarray(0, 33), png().subarray(-12)])],
    ['a JPEG without its end', jpeg().subarray(0, -2)],
    ['a JPEG cut inside its end', jpeg().subarray(0, -1)],
    ['a long JPEG without its end', large],
    ['a JPEG without a scan', Buffer.concat([jpeg().subarray(0, 21), jpeg().subarray(-2)])],
    ['a JPEG of its signature alone', jpeg().subarray(0, 3)],
    ['a JPEG whose only end is in its thumbnail', Buffer.from('ffd8ffe10006ffd8ffd9', 'hex')],
    ['a WebP shorter than it says', webp().subarray(0, -1)],
    ['a WebP of its signature alone', webp().subarray(0, 12)],
    ['a WebP whose RIFF header says 0', changed(webp(), 4, 0)],
    ['a WebP whose image has the length 0', changed(webp(), 16, 0)],
    ['a WebP whose image is longer than the file says', changed(webp(), 16, 60)],
    ['a WebP without the start code of a picture', changed(webp(), 23, 0)],
    ['a WebP of no pixels', webp(30, 0, 1)],
    ['a WebP that begins with no picture', changed(webp(), 15, 0x21)],
    ['a PNG with a wrong checksum of its pixels', changed(png(), png().length - 13, 1)],
    ['a PNG with a wrong checksum of its header', changed(png(), 32, 1)],
    ['a PNG with a wrong checksum of its end', changed(png(), png().length - 1, 1)],
    ['a PNG of no pixels', png(0, 1)],
    ['a JPEG of no pixels', jpeg(0, 1)],
    ['a JPEG without a frame', Buffer.concat([jpeg().subarray(0, 8), jpeg().subarray(21)])],
    ['a JPEG of fill bytes', Buffer.concat([jpeg().subarray(0, 8), Buffer.alloc(200_000, 0xff)])],
    ['a PDF without its end', pdf().subarray(0, -7)],
    ['a PDF whose end is far from its end', Buffer.concat([pdf(), Buffer.alloc(1100)])],
  ])('%s › is damaged or cut off', async (_what, bytes) => {
    const { body } = await send(bytes).expect(400);
    expect(body).toMatchObject({ errors: [{ path: 'file', message: expect.stringMatching(/damaged or cut off$/) }] });
  });

  test.each([
    ['PNG', claim(png(), 0x80_00_00_00, 1)],
    ['PNG', claim(png(), 20_000, 10_001)],
    ['JPEG', jpeg(20_000, 10_001)],
    ['JPEG', jpeg(65_535, 65_535)],
    ['WebP', webp(30, 16_383, 16_383)],
  ])('a %s that claims more than 200 megapixels › is refused, however small its file', async (name, bytes) => {
    expect(bytes.length).toBeLessThan(200);
    const { body } = await send(bytes).expect(400);
    expect(body).toMatchObject({ errors: [{ path: 'file', message: `is a ${name} of more than 200 megapixels` }] });
  });

  test.each([
    ['image/png', jpeg()],
    ['image/jpeg', pdf()],
    ['application/pdf', png()],
    ['text/html', pdf()],
    ['image/svg+xml', png()],
    ['text/plain', webp()],
  ])('declared as %s and something else › lies, told at its field', async (contentType, bytes) => {
    const { body } = await send(bytes, contentType, 'receipt').expect(400);
    expect(body).toMatchObject({ errors: [{ path: 'receipt', message: expect.stringContaining('declared as') }] });
  });

  test('empty, none, or two › is 400', async () => {
    expect((await send(Buffer.alloc(0)).expect(400)).body).toMatchObject({
      errors: [{ path: 'file', message: 'must be a file that is not empty' }],
    });
    await caller.post('/api/receipts').field('file', 'text').expect(400);
    await caller.post('/api/receipts').expect(400);
    const two = caller.post('/api/receipts').attach('file', png(), 'a').attach('other', jpeg(), 'b');
    expect((await two.expect(400)).body).toMatchObject({
      errors: [{ path: 'file', message: 'must be exactly one file' }],
    });
    await caller.post('/api/receipts').attach('file', png(), 'a').attach('file', png(), 'b').expect(400);
  });

  test('not multipart › is 415', async () => {
    await caller.post('/api/receipts').type('image/png').send(png()).expect(415);
    await caller.post('/api/receipts').send({ file: 'x' }).expect(415);
  });
});

describe('an upload that is too large', () => {
  test('with a length › is refused before its body is sent', async () => {
    const sent = open({ 'Content-Length': 11 * MIB });
    sent.flushHeaders();
    expect(await answerTo(sent)).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    sent.destroy();
  });

  test('without one › is refused when it passes the limit, also for a client that sends all before it reads', async () => {
    const sent = open();
    sent.write(part('file', 'application/pdf'));
    for (let mib = 0; mib < 12; mib += 1) sent.write(Buffer.alloc(MIB, '%PDF-'));
    sent.end('\r\n--x--\r\n');
    expect(await answerTo(sent)).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    await send(Buffer.concat([pdf(), Buffer.alloc(10 * MIB), pdf()])).expect(413);
  });

  test('with a length, sent whole by a client that reads only then › gets its response', async () => {
    const sent = open({ 'Content-Length': 40 * MIB });
    for (let mib = 0; mib < 40; mib += 1) sent.write(Buffer.alloc(MIB));
    sent.end();
    expect(await answerTo(sent)).toMatchObject({ status: 413 });
  });

  test('in the number of its fields › is 400', async () => {
    const sent = caller.post('/api/receipts');
    for (let n = 0; n <= 100; n++) void sent.field(`note${n}`, 'x');
    const { body } = await sent.attach('file', png(), 'a').expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', detail: 'body has too many fields beside the file' });
  });

  test('by a second file › keeps its connection, however much of it was left', async () => {
    const connection = await RawConnection.open(api.url);
    for (const left of [0, 1_000, 100_000, MIB]) {
      const body = `${part('file')}a\r\n${part('file')}${'b'.repeat(left)}\r\n--x--\r\n`;
      const headers = { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': body.length };
      connection.received = '';
      await connection.send(head('POST', '/api/receipts', token, headers) + body);
      await connection.until(/^HTTP\/1.1 400 [^]*must be exactly one file/);
      await connection.send(head('GET', '/api/receipts/0', token, {}));
      await connection.until(/HTTP\/1.1 404 /);
    }
    connection.socket.destroy();
  });

  test('by its fields › is refused as well', async () => {
    await caller.post('/api/receipts').field('note', 'x'.repeat(100_000)).attach('file', png(), 'a').expect(413);
  });
});

describe('an upload that is cut off', () => {
  test('without its closing boundary › is 400', async () => {
    for (const body of [part('file'), `${part('file')}${png().toString('latin1')}`, '--x\r\n', 'x', '--y--\r\n']) {
      const sent = open({ 'Content-Length': Buffer.byteLength(body, 'latin1') });
      sent.end(Buffer.from(body, 'latin1'));
      expect(await answerTo(sent)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
    const missing = open({ 'Content-Type': 'multipart/form-data' });
    missing.end('--x--\r\n');
    expect(await answerTo(missing)).toMatchObject({ status: 400 });
  });

  test('by the end of its connection, anywhere › leaves nothing', async () => {
    for (const bytes of [0, 20, 100, 70_000, 3 * MIB]) {
      const sent = open({ 'Content-Length': 5 * MIB });
      sent.on('error', () => undefined);
      sent.flushHeaders();
      sent.write(Buffer.concat([Buffer.from(part('file')), png(), Buffer.alloc(3 * MIB)]).subarray(0, bytes));
      await sleep(40);
      sent.destroy();
    }
    await eventually(async () => (await traces()).temporary.length === 0);
    await caller.get('/api/company').expect(200);
  });
});
