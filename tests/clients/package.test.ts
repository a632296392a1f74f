import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { projectRoot } from '../../config/paths';
import { generateClient, generatedFolder } from '../../dev/client/generateClient';
import { freePort } from '../../dev/servers/freePort';
import { createCompany } from '../support/factories';
import { installation } from '../support/installation';
import { installClient } from '../support/packedClient';
import { startWorkerProcess } from '../support/processes';
import { numberAll } from '../support/sequencer';
import { startApi, type TestApi } from '../support/server';

const run = promisify(execFile);
const source = join(projectRoot, 'clients/typescript');
const folder = mkdtempSync(join(tmpdir(), 'invoicing-package-'));
const inFolder = (name: string): string => join(folder, name);
const read = (path: string): string => readFileSync(path, 'utf8');
const written = ['ApiError', 'InvoicingClient', 'index', 'verifyWebhook'];

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the sources', () => {
  test('the generated part › is what `npm run client` writes', async () => {
    await generateClient(inFolder('generated'));
    for (const name of ['types.gen.ts', 'operations.gen.ts'])
      expect(read(join(projectRoot, generatedFolder, name))).toBe(read(inFolder(`generated/${name}`)));
  });

  test('the part that is written by hand › has at most 150 lines', () => {
    const files = readdirSync(join(source, 'src')).filter((name) => name.endsWith('.ts'));
    expect(files.sort()).toEqual(written.map((name) => `${name}.ts`));
    const lines = files.flatMap((name) =>
      read(join(source, 'src', name))
        .trimEnd()
        .split('\n'),
    );
    expect(lines.length).toBeLessThanOrEqual(150);
  });
});

describe('the package, installed without a network', () => {
  const installed = inFolder('node_modules/invoicing-client');
  const files = (): string[] =>
    readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));

  beforeAll(() => installClient(folder));

  test('has its modules, its README and its licence, and needs no other package', () => {
    expect(readdirSync(inFolder('node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['invoicing-client']);
    expect(new Set(files().map((path) => path.replace(/\/.*/, '')))).toEqual(
      new Set(['LICENSE', 'README.md', 'dist', 'package.json']),
    );
    expect(read(join(installed, 'LICENSE'))).toBe(read(join(projectRoot, 'LICENSE')));
  });

  test('the part that is written by hand › has at most 5 kB gzipped, and needs nothing of Node.js', () => {
    const code = written.map((name) => read(join(installed, `dist/esm/${name}.js`))).join('');
    expect(gzipSync(code).length).toBeLessThanOrEqual(5_000);
    const modules = files().filter((path) => path.endsWith('.js'));
    const imported = modules.flatMap((path) =>
      [...read(join(installed, path)).matchAll(/(?:from |require\()["']([^"']+)/g)].map(([, name]) => name),
    );
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => name?.startsWith('./') !== true)).toEqual([]);
    expect(modules.filter((path) => /\bprocess\b|\bBuffer\b/.test(read(join(installed, path))))).toEqual([]);
  });

  test('is imported and required, with the same exports', async () => {
    const names = ['ApiError', 'InvoicingClient', 'WebhookVerificationError', 'verifyWebhook'];
    const program = "console.log(Object.keys(client).filter((name) => name !== '__esModule').sort().join())";
    const outputs = await Promise.all([
      run(process.execPath, ['--input-type=module', '-e', `import * as client from 'invoicing-client';${program}`], {
        cwd: folder,
      }),
      run(process.execPath, ['-e', `const client = require('invoicing-client');${program}`], { cwd: folder }),
    ]);
    expect(outputs.map(({ stdout }) => stdout)).toEqual([`${names.join()}\n`, `${names.join()}\n`]);
  });

  const program = `import { ApiError, InvoicingClient, verifyWebhook } from 'invoicing-client';
import type { NewInvoice } from 'invoicing-client';
export async function use(client: InvoicingClient, body: NewInvoice): Promise<string | undefined> {
  const { total } = await client.createInvoice({ body, idempotencyKey: 'a' });
  for await (const { status } of client.all('listInvoices', { query: { limit: 3 } })) if (status === 'paid') return total;
  for await (const event of client.events({ types: ['*'] })) if (event.type === 'invoice.paid') return event.data.total;
  const pdf: Blob = await client.downloadInvoicePdf({ path: { id: 1 } });
  const { type } = await verifyWebhook(await pdf.text(), new Headers(), ['whsec_a']);
  return type;
}
export const wrong = async (client: InvoicingClient, error: ApiError) => [
  (await client.getInvoice({ path: { id: 1 } })).noSuchField,
  client.getInvoice(),
  client.createInvoice({ body: {} }),
  client.all('getInvoice', { path: { id: 1 } }),
  client.all('listApiKeys'),
  client.noSuchOperation(),
  error.code === 'no_such_code',
];
`;
  const wrongLines = [12, 13, 14, 15, 16, 17, 18];

  /**
   * Compiles the program under these names beside the package, and checks the package's own types with it. Returns the lines of each that
   * have mistakes, and mistakes elsewhere as text.
   */
  async function mistakesOf(names: string[], options: object): Promise<unknown[]> {
    for (const name of names) writeFileSync(inFolder(name), program);
    const config = {
      ...{
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        skipDefaultLibCheck: true,
        exactOptionalPropertyTypes: true,
      },
      ...{ lib: ['es2022', 'dom'], types: [], ...options },
    };
    writeFileSync(inFolder('tsconfig.json'), JSON.stringify({ compilerOptions: config, files: names }));
    const tsc = join(projectRoot, 'node_modules/.bin/tsc');
    const { stdout } = await run(tsc, ['-p', folder], { cwd: folder }).catch(
      (error: unknown) => error as { stdout: string },
    );
    const found = [...stdout.matchAll(/^(?:(\S+)\((\d+),.*|error .*)$/gm)];
    const elsewhere = found.filter(([, file = '']) => !names.includes(file)).map(([all]) => all);
    const linesOf = (name: string): number[] => [
      ...new Set(found.filter(([, file]) => file === name).map(([, , line]) => Number(line))),
    ];
    return [...names.map(linesOf), ...elsewhere];
  }

  test('is typed in an ES module and in a CommonJS module: mistakes do not compile, each', async () => {
    const lines = await mistakesOf(['page.mts', 'old.cts'], { module: 'nodenext' });
    expect(lines).toEqual([wrongLines, wrongLines]);
  });

  test('is typed in a bundle: mistakes do not compile, each', async () => {
    const lines = await mistakesOf(['bundled.ts'], { module: 'esnext', moduleResolution: 'bundler' });
    expect(lines).toEqual([wrongLines]);
  });

  describe('the examples of its README', () => {
    const examples = [...read(join(source, 'README.md')).matchAll(/^```js\n(.+?)^```$/gms)].map(
      ([, code = '']) => code,
    );
    let api: TestApi;
    let token: string;

    beforeAll(async () => {
      api = await startApi({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
      ({ token } = await createCompany(api.services));
    });

    const fileOf = (index: number): string => {
      writeFileSync(inFolder(`example${index}.mjs`), examples[index] ?? '');
      return inFolder(`example${index}.mjs`);
    };
    const outputOf = async (index: number): Promise<string[]> => {
      const env = { BASE_URL: api.url, API_TOKEN: token };
      return (await run(process.execPath, [fileOf(index)], { cwd: folder, env })).stdout.trimEnd().split('\n');
    };

    test('calls, headers and CSV, events', async () => {
      expect(examples).toHaveLength(4);
      expect(await outputOf(0)).toEqual([
        'draft 3000000.00',
        'a draft of 3000000.00 IDR',
        '404 not_found invoice not found',
      ]);
      expect(await outputOf(1)).toEqual(['id,name']);
      await numberAll(api.services);
      expect(await outputOf(2)).toEqual([expect.stringMatching(/^invoice\.created \d+ INV-2026-00001$/)]);
    });

    test('a receiver of webhooks takes a real delivery, and refuses a forged one', async () => {
      await startWorkerProcess({ ...(await installation()), WEBHOOK_ALLOW_PRIVATE: 'true', WORKER_QUEUES: 'webhook' });
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const created = await api.as(token).post('/api/webhook-endpoints').send({ url }).expect(201);
      const { secret } = created.body as { secret: string };
      const receiver = fork(fileOf(3), {
        env: { WEBHOOK_SECRET: secret, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      });
      try {
        await printed(receiver, /^listening on \d+$/m);
        await api.as(token).post('/api/clients').send({ name: 'Delivered' }).expect(201);
        await printed(receiver, /^client\.created \d+$/m);
        expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
      } finally {
        receiver.kill();
      }
    });
  });
});

/** Waits until a process has printed this. */
async function printed(child: ChildProcess, expected: RegExp): Promise<void> {
  for (let text = ''; !expected.test(text);) {
    const [chunk] = (await once(child.stdout!, 'data')) as [Buffer];
    text += chunk.toString();
  }
}
