import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../config/paths';
import { createCategory, createCompany } from '../support/factories';
import { atEnd } from '../support/installation';
import { Effects } from '../support/workers';

/** Ends the output of a block. */
const MARK = '--- end of block ---';

/** The commands of the page, each with what the page says that it prints. */
function documentedSteps(): { commands: string; printed: string }[] {
  const page = readFileSync(join(projectRoot, 'docs/finance.md'), 'utf8');
  const steps = page.matchAll(/^```sh\n(.+?)^```\n(?:\n```text\n(.+?)^```\n)?/gms);
  return [...steps].map(([, commands = '', printed = '']) => ({ commands, printed }));
}

test("the month's end of the documentation › prints what its page says", async () => {
  const effects = await Effects.start();
  await effects.startPool(['import']);
  const { api, services } = effects;
  const { companyId, token } = await createCompany(services);
  const { id: categoryId } = await createCategory(services, companyId);
  const folder = mkdtempSync(join(tmpdir(), 'invoicing-finance-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, '.data'));
  const variables = { BASE_URL: api.url, API_TOKEN: token, CATEGORY_ID: categoryId };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, '.data/demo.env'), lines.join(''));
  const steps = documentedSteps();
  const script = steps.map(({ commands }) => `${commands}echo '${MARK}'\n`).join('');
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script], { cwd: folder });
  const printed = stdout.replaceAll('\r\n', '\n').split(`${MARK}\n`).slice(0, -1);
  expect(stderr).toBe('');
  expect(printed).toEqual(steps.map((step) => step.printed));
});
