import { execFile } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operationView, type OperationView } from '../../../api/reference/OperationView';
import type { ReferenceDocument } from '../../../api/reference/ReferenceDocument';
import { InvoicingClient } from '../../../clients/typescript/src/index';
import { loadConfig } from '../../../config/env';
import { seedDemo } from '../../../dev/demo/seedDemo';
import { newSigningSecret } from '../../../shared/webhooks';
import { Email } from '../../support/models';
import { pdf, png } from '../../support/images';
import { atEnd, installation } from '../../support/installation';
import { Effects } from '../../support/workers';

const run = promisify(execFile);
const env = { WEBHOOK_ALLOW_PRIVATE: 'true' };
let url: string;
let token: string;
let folder: string;
let operations: OperationView[];

beforeAll(async () => {
  const demo = await seedDemo({
    config: loadConfig({ ...(await installation()), ...env }),
    apiToken: undefined,
    empty: false,
    receiver: { endpointUrl: 'http://127.0.0.1:4100/events', secret: newSigningSecret() },
  });
  token = demo.apiToken ?? '';
  const effects = await Effects.start(env);
  ({ url } = effects.api);
  await effects.startPool(['pdf', 'email', 'payment-link']);
  folder = await mkdtemp(join(tmpdir(), 'examples-'));
  atEnd(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'receipt.pdf'), pdf());
  await writeFile(join(folder, 'logo.png'), png(40, 20));
  await writeFile(join(folder, 'expenses.csv'), 'vendor,amount,expenseDate,categoryId\nGaruda,1250000,2026-01-31,1\n');
  const { body } = await effects.api.as().get('/openapi.json').expect(200);
  const document = { ...(body as ReferenceDocument), servers: [{ url }] };
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationView([method, path], operation, document)),
  );
});

/** What has to have happened before an example succeeds that no other example can bring about. */
const before: Record<string, () => Promise<unknown>> = {
  settleInvoiceEmail: () => Email.update({ status: 'uncertain' }, { where: { id: 1 } }),
};

/** Those that a person can send: what is created first, what is deleted last. */
const inOrder = (): OperationView[] =>
  ['POST', 'PUT', 'GET', 'DELETE'].flatMap((method) =>
    operations.filter((operation) => operation.method === method && operation.attempt !== null),
  );

const codeOf = ({ snippets }: OperationView, wanted: string): string =>
  snippets.find(({ language }) => language === wanted)?.code ?? '';

/** Runs an example of curl in a shell. Returns the status and, of an error, the body. */
async function curl(operation: OperationView): Promise<string> {
  await before[operation.id]?.();
  const command = codeOf(operation, 'curl').replace(/^curl( -OJ)?/, "curl -s -o response -w '%{http_code}'");
  const { stdout: status } = await run('sh', ['-c', command], {
    cwd: folder,
    env: { ...process.env, API_TOKEN: token },
  });
  const problem = status < '300' ? '' : (await run('cat', ['response'], { cwd: folder })).stdout;
  return `${operation.id} ${status} ${problem}`;
}

/** Runs an example of JavaScript. Returns what it prints. */
async function javaScript(operation: OperationView): Promise<unknown[]> {
  const printed: unknown[] = [];
  const code = codeOf(operation, 'JavaScript').replaceAll(/^import .*$/gm, '');
  const names = ['InvoicingClient', 'openAsBlob', 'writeFile', 'process', 'console'];
  const AsyncFunction = (async () => Promise.resolve()).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>;
  await new AsyncFunction(...names, code)(
    InvoicingClient,
    openAsBlob,
    (name: string, file: ReadableStream) => printed.push([name, file]),
    { env: { API_TOKEN: token } },
    { log: (value: unknown) => printed.push(value) },
  );
  return printed;
}

describe('in the demo company', () => {
  test('the examples of curl, what is created first and what is deleted last › succeed, each of them', async () => {
    const results: string[] = [];
    for (const operation of inOrder()) results.push(await curl(operation));
    expect(results.filter((result) => !/^\w+ 20[0-6] $/.test(result))).toEqual([]);
    expect(results.length).toBe(operations.length - 2);
  });

  test('the examples of JavaScript that change nothing › print what the client returns', async () => {
    const gone = ['downloadLogo'];
    for (const operation of inOrder().filter(({ id, method }) => method === 'GET' && !gone.includes(id))) {
      expect([operation.id, await javaScript(operation)]).toEqual([operation.id, [expect.anything()]]);
    }
  });
});
