import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../../shared/engine/log';
import { removeOrphanedProfiles } from '../../../workers/pdf/orphanedProfiles';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'profiles-'));
});
afterEach(() => execFileSync('rm', ['-rf', folder]));

const log = createLogger('silent', 'test');
const endedPid = () => spawnSync(process.execPath, ['-e', '']).pid;

test('profiles of ended workers are removed, and those of running ones stay', async () => {
  const [orphan, own] = [`profile-${endedPid()}-a`, `profile-${process.pid}-b`];
  for (const name of [orphan, own]) await mkdir(join(folder, name, 'Default'), { recursive: true });
  await removeOrphanedProfiles(folder, log);
  expect(await readdir(folder)).toEqual([own]);
});

test('one that cannot be removed keeps no browser from starting, and the others are removed', async () => {
  const pid = endedPid();
  const stuck = `profile-${pid}-a`;
  // Longer than any path that the system takes, so made from within.
  const nest = 'for i in $(seq 20); do mkdir "$1" && cd "$1" || exit 1; done';
  execFileSync('bash', ['-c', `mkdir "$2" && cd "$2" && ${nest}`, '', 'd'.repeat(250), join(folder, stuck)]);
  await mkdir(join(folder, `profile-${pid}-b`));
  await removeOrphanedProfiles(folder, log);
  expect(await readdir(folder)).toEqual([stuck]);
});
