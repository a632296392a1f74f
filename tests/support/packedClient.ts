import { execFile } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../config/paths';

const run = promisify(execFile);

const source = join(projectRoot, 'clients/typescript');

/** Packs the TypeScript client and installs the package into a folder, without a network. */
export async function installClient(folder: string): Promise<void> {
  const path = `${join(projectRoot, 'node_modules/.bin')}:${process.env.PATH}`;
  const env = { ...process.env, PATH: path, npm_config_cache: join(folder, 'cache') };
  // Test files run at the same time: each builds in a folder of its own.
  const copy = join(folder, 'source');
  cpSync(source, copy, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: copy, env });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--offline', '--no-audit', `./${stdout.trim()}`], { cwd: folder, env });
}

/** Puts the TypeScript client's ES modules where programs in a folder import it from: quicker than {@link installClient}. */
export async function compileClient(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules/invoicing-client');
  const tsc = join(projectRoot, 'node_modules/.bin/tsc');
  const options = ['--noCheck', '--declaration', 'false', '--outDir', join(installed, 'dist/esm')];
  await run(tsc, ['-p', source, ...options]);
  cpSync(join(source, 'package.json'), join(installed, 'package.json'));
}
