import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../config/paths';
import { createCategory } from '../support/factories';
import { Effects, type Subject } from '../support/workers';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'invoicing-client-'));
const inFolder = (name: string): string => join(folder, name);
const tool = (name: string): string => join(projectRoot, 'node_modules/.bin', name);

let effects: Effects;
let subject: Subject;
let compiled: string;

beforeAll(async () => {
  effects = await Effects.start({ JOB_WAIT_MS: '20000' });
  await effects.startPool(['email', 'pdf', 'payment-link']);
  effects.startSchedules();
  subject = await effects.invoice();
  const served = await fetch(`${effects.api.url}/openapi.json`);
  writeFileSync(inFolder('openapi.json'), await served.text());
  await run(tool('openapi-ts'), ['-i', inFolder('openapi.json'), '-o', inFolder('client')], { cwd: folder });
  compiled = await compile({ 'tour.ts': documentedTour(), 'mistakes.ts': mistakes });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The program that the documentation shows. */
function documentedTour(): string {
  const [, tour] = /^```ts\n(.+?)^```$/ms.exec(readFileSync(join(projectRoot, 'docs/api.md'), 'utf8')) ?? [];
  if (tour === undefined) throw new Error('docs/api.md shows no program');
  return tour;
}

const mistakes = [
  "import type { Invoice, NewInvoice, Problem } from './client';",
  'export const noSuchField = (invoice: Invoice) => invoice.taxAmount;',
  'export const maybeNull = (invoice: Invoice): string => invoice.nextDueDate;',
  "export const noSuchCode = (problem: Problem) => problem.code === 'no_such_code';",
  "export const noItems: NewInvoice = { clientId: 1, issueDate: '2026-01-15', dueDate: '2026-02-14' };",
].join('\n');

/** Compiles programs beside the client, as strictly as they may be in any project. Returns what the compiler prints. */
async function compile(programs: Record<string, string>): Promise<string> {
  for (const [name, program] of Object.entries(programs)) writeFileSync(inFolder(name), program);
  const options = {
    ...{ strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
    ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], module: 'commonjs', moduleResolution: 'bundler' },
    ...{ types: ['node'], typeRoots: [join(projectRoot, 'node_modules/@types')] },
  };
  const include = [...Object.keys(programs), 'client'];
  writeFileSync(inFolder('tsconfig.json'), JSON.stringify({ compilerOptions: options, include }));
  return run(tool('tsc'), ['-p', folder], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { stdout: string }).stdout,
  );
}

test('the documented tour › compiles with the generated client, and gets from an invoice to its payment', async () => {
  expect(compiled.split('\n').filter((line) => line !== '' && !/^(mistakes\.ts\(|\s)/.test(line))).toEqual([]);
  const { stdout } = await run(process.execPath, [inFolder('tour.js')], {
    cwd: folder,
    env: {
      BASE_URL: effects.api.url,
      API_TOKEN: subject.token,
      CLIENT_ID: String(subject.clientId),
      CATEGORY_ID: String((await createCategory(effects.services, subject.companyId)).id),
    },
  });
  expect(stdout.split('\n')).toEqual([
    'Invoice e-mailed successfully',
    'paid',
    '2027-02-28 2027-03-31 2027-04-30',
    'expense not found',
    '',
  ]);
  expect(readFileSync(inFolder('invoice.pdf')).toString('latin1', 0, 5)).toBe('%PDF-');
  expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
});

test('the documented command › names the version that is tested', () => {
  const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  expect(read('docs/api.md')).toContain(`npx @hey-api/openapi-ts@${devDependencies['@hey-api/openapi-ts']} -i`);
});

test('mistakes about fields, nulls, codes and required values › do not compile, each', () => {
  const lines = [...compiled.matchAll(/^mistakes\.ts\((\d+),/gm)].map(([, line]) => Number(line));
  expect(lines).toEqual([2, 3, 4, 5]);
});
