import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { linesOf } from '../../../cli/doctor/report';
import { runWorkerChecks } from '../../../cli/doctor/workerChecks';
import { projectRoot } from '../../../config/paths';
import { broken, ok, warning, type CheckResult } from '../../../shared/engine/checks/Check';

interface Outcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs the command as it is deployed. */
function doctor(env: Record<string, string>): Promise<Outcome> {
  const environment = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env };
  return new Promise((resolve) => {
    const args = [join(projectRoot, 'dist/cli/index.js'), 'doctor'];
    execFile(process.execPath, args, { env: environment }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test('doctor › with everything wrong › names every part with a remedy, shows no secret, and ends with 1', async () => {
  const { exitCode, stdout, stderr } = await doctor({
    PORT: 'abc',
    DATABASE_URL: 'mysql://root:s3cret-word@127.0.0.1:1/invoicing',
    REDIS_URL: 'redis://:s3cret-word@127.0.0.1:1',
    FILES_DIR: '/dev/null',
    CHROME_PATH: '/none/chromium',
    SMTP_URL: 'smtp://user:s3cret-word@127.0.0.1:1',
    XENDIT_BASE_URL: 'http://127.0.0.1:1',
    XENDIT_SECRET_KEY: 'xnd_s3cret-word',
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
  expect(stdout).not.toContain('s3cret-word');
  const { status, checks } = JSON.parse(stdout) as { status: string; checks: CheckResult[] };
  expect(status).toBe('broken');
  const found = checks.filter((check) => check.status === 'broken');
  expect(found.map(({ name }) => name)).toEqual([
    'configuration: api',
    'configuration: worker',
    'MySQL: connection',
    'Redis: connection',
    'files: access',
    'Chromium: print',
    'mail: connection',
    'gateway: xendit',
  ]);
  for (const { remedy } of found) expect(remedy).toMatch(/\w/);
});

test('doctor › the process of the worker’s checks dies › that is a broken check, with its last words', async () => {
  const [result] = await runWorkerChecks(join(projectRoot, 'tests/support/none.js'));
  expect(result).toMatchObject({ name: 'worker: checks', status: 'broken' });
  expect(result?.message).toContain('Cannot find module');
});

test('doctor › on a terminal › a line for each check, remedies below, and the counts', () => {
  const results = [
    { name: 'a', ...ok('fine') },
    { name: 'long', ...warning('odd', 'look') },
    { name: 'b', ...broken('down', 'start it') },
  ];
  expect(linesOf(results).split('\n')).toEqual([
    'ok       a     fine',
    'warning  long  odd',
    '               → look',
    'broken   b     down',
    '               → start it',
    '',
    'ok: 1, warning: 1, broken: 1, skipped: 0',
  ]);
});
