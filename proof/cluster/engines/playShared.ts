import { randomBytes } from 'node:crypto';
import { png } from '../../../dev/png';
import { openFileStore } from '../../../shared/engine/files';
import type { Options } from '../../command/runProof';
import type { Round } from '../../faults/Fault';
import type { Random } from '../../faults/Random';
import type { World } from '../../faults/World';
import { fileBody, jsonOf, type HttpCall, type HttpReply } from '../../installation/HttpClient';

/** The largest receipt that the API takes. */
const largestReceipt = 10 * 1024 * 1024;
const hourMs = 3_600_000;

/** Files that one API or worker writes and the other API reads, their deletion and their eviction. */
export async function playShared(world: World, _random: Random, options: Options): Promise<Round> {
  const found = new Checks();
  const [first, second] = world.installation.apis;
  if (first === undefined || second === undefined) throw new Error('two APIs are needed');
  const on = {
    write: (call: HttpCall): Promise<HttpReply> => world.send(first, call),
    read: (path: string, headers = {}): Promise<HttpReply> => world.send(second, { path, headers }),
  };
  await receipts(world, on, found, options.quick ? 6 : 24);
  await logo(on, found);
  await pdfs(world, on, found, options.quick ? 4 : 12);
  await refusals(world, found);
  return { ...found.counts, recoverySeconds: 0, problems: found.problems };
}

interface Machines {
  write(call: HttpCall): Promise<HttpReply>;
  read(path: string, headers?: Record<string, string>): Promise<HttpReply>;
}

/** Counts the checks that hold and those that fail. */
class Checks {
  readonly problems: string[] = [];
  private expected = 0;

  check(what: string, holds: boolean): void {
    this.expected += 1;
    if (!holds) this.problems.push(what);
  }

  get counts(): Omit<Round, 'recoverySeconds' | 'problems'> {
    const found = this.expected - this.problems.length;
    return { accepted: found, expected: this.expected, found, lost: this.problems.length, doubled: 0, uncertain: 0 };
  }
}

async function receipts({ installation, companyId }: World, on: Machines, found: Checks, count: number): Promise<void> {
  const { files } = installation.services;
  const sizes = [largestReceipt, ...Array.from({ length: count }, (_, index) => 100 + index * 9_000)];
  for (const size of sizes) {
    const content = pdfOf(size);
    const { body, headers } = await fileBody('file', content, 'receipt.pdf', 'application/pdf');
    const stored = await on.write({ path: '/api/receipts', method: 'POST', body, headers });
    const path = `/api/receipts/${jsonOf<{ id: number }>(stored).id}`;
    const whole = await on.read(path);
    found.check(`a receipt of ${size} bytes: ${stored.status}, ${whole.status}`, whole.body.equals(content));
    const end = await on.read(path, { Range: 'bytes=-50' });
    found.check(`its end: ${end.status}`, end.status === 206 && end.body.equals(content.subarray(-50)));
  }
  const keys = await keysUnder(files, `receipt/${companyId}/`);
  found.check(`${keys.length} receipts are listed`, keys.length === sizes.length);
  const [key = ''] = keys;
  await files.remove(key);
  const left = await keysUnder(files, `receipt/${companyId}/`);
  found.check('a deleted file is found', (await files.get(key)) === null && !left.includes(key));
}

async function logo(on: Machines, found: Checks): Promise<void> {
  const { body, headers } = await fileBody('logo', png(64, 32), 'logo.png', 'image/png');
  const stored = await on.write({ path: '/api/company/logo', method: 'PUT', body, headers });
  const read = await on.read('/api/company/logo');
  found.check(`a logo: ${stored.status}, ${read.status}`, read.body.subarray(1, 4).toString() === 'PNG');
}

async function pdfs(world: World, on: Machines, found: Checks, count: number): Promise<void> {
  const { files } = world.installation.services;
  const folder = `pdf/${world.companyId}`;
  const paths: string[] = [];
  for (let index = 0; index < count; index++) {
    const path = `/api/invoices/${(await world.subject()).invoiceId}/pdf`;
    const [printed, stored] = [await on.write({ path }), await on.read(path)];
    found.check(`a PDF: ${printed.status}, ${stored.status}`, isPdf(stored) && stored.body.equals(printed.body));
    paths.push(path);
  }
  const [path = ''] = paths;
  const keys = await keysUnder(files, `${folder}/`);
  found.check(`${keys.length} PDFs are listed`, keys.length === count);
  // A read marks a PDF as used, for which the store may write it again.
  await files.touch(keys[0] ?? '', new Date(Date.now() + 25 * hourMs));
  found.check('a PDF that was read a day later is damaged', isPdf(await on.read(path)));
  found.check('eviction removes files that are in use', (await files.removeUnused(folder, new Date(0))) === 0);
  const removed = await files.removeUnused(folder, new Date(Date.now() + hourMs));
  found.check(`eviction removes ${removed} of ${count} files`, removed === count);
  found.check('files are listed after eviction', (await keysUnder(files, `${folder}/`)).length === 0);
  found.check('a PDF is not printed again after eviction', isPdf(await on.read(path)));
}

/** Ceph sends errors without a message: the service reports their codes. */
async function refusals({ installation }: World, found: Checks): Promise<void> {
  const { files } = installation.services.config;
  if (files.store !== 's3') throw new Error('the files are in no bucket');
  const credentials = { accessKeyId: files.credentials?.accessKeyId ?? '', secretAccessKey: 'wrong' };
  const wrong = { SignatureDoesNotMatch: { ...files, credentials }, NoSuchBucket: { ...files, bucket: 'another' } };
  for (const [code, config] of Object.entries(wrong)) {
    const message = await openFileStore(config)
      .get('store-id')
      .then(String, (error: unknown) => (error as Error).message);
    found.check(`a refusal is not named ${code}: ${message}`, message.includes(code));
  }
}

async function keysUnder(files: World['installation']['services']['files'], prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of files.keys()) if (key.startsWith(prefix)) keys.push(key);
  return keys;
}

const isPdf = ({ status, body }: HttpReply): boolean => status === 200 && body.subarray(0, 5).toString() === '%PDF-';

/** Returns a unique PDF of this size. */
function pdfOf(size: number): Buffer {
  const [head, tail] = ['%PDF-1.4\n%', '\n1 0 obj<<>>endobj\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n'];
  const filling = randomBytes(Math.ceil((size - head.length - tail.length) / 2)).toString('hex');
  return Buffer.from(head + filling.slice(0, size - head.length - tail.length) + tail);
}
