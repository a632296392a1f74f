import { execFile } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../config/paths';

const run = promisify(execFile);

/** Packs the TypeScript client and installs the package into a folder, without a network. */
export async function installClient(folder: string): Promise<void> {
  const path = `${join(projectRoot, 'node_modules/.bin')}:${process.env.PATH}`;
  const env = { ...process.env, PATH: path, npm_config_cache: join(folder, 'cache') };
  // Test files run at the same time: each builds in a folder of its own.
  const source = join(folder, 'source');
  cpSync(join(projectRoot, 'clients/typescript'), source, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source, env });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--offline', '--no-audit', `./${stdout.trim()}`], { cwd: folder, env });
}
