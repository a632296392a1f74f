import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';

/** Blocks the event loop for 300 ms in the iteration of the first record, and lives until the second one. */
const script = `
const fs = require('node:fs');
const append = fs.appendFileSync;
fs.appendFileSync = (...record) => {
  append(...record);
  fs.appendFileSync = append;
  setImmediate(() => {
    const until = Date.now() + 300;
    while (Date.now() < until);
  });
};
setTimeout(() => {}, 900);
`;

const folder = mkdtempSync(join(tmpdir(), 'invoicing-lag-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a block of the event loop right after a record › is in the next one', () => {
  const preloaded = join(projectRoot, 'dist/dev/installation/recordLag.js');
  const file = join(folder, 'lag');
  const env = { ...process.env, PROOF_LAG_FILE: file };
  execFileSync(process.execPath, ['--require', preloaded, '-e', script], { env });
  const records = readFileSync(file, 'utf8').trim().split('\n');
  expect(Math.max(...records.map((record) => Number(record.split(' ')[1])))).toBeGreaterThan(200);
});
