import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';

const folder = mkdtempSync(join(tmpdir(), 'no-copy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a command without servers › says which folder it looked into, and how another copy is named', async () => {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: folder };
  const said = await new Promise<string>((resolve) =>
    execFile(process.execPath, ['dev/cli.mjs', 'jobs', '--help'], { cwd: projectRoot, env }, (_, __, stderr) =>
      resolve(stderr),
    ),
  );
  expect(said).toContain(folder);
  expect(said).toContain('DATA_DIR=.data2 npm run -s cli');
});
