import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runStep } from './runStep.mjs';

/** Compiles the sources into dist when one of them was changed, added or removed since the last build. */
export async function buildIfStale(root) {
  const stamp = join(root, 'dist/.built');
  const state = stateOfSources(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return;
  rmSync(stamp, { force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await runStep('building (tsc)', [process.execPath, compiler, '-p', 'tsconfig.build.json'], root);
  removeOrphans(root);
  writeFileSync(stamp, state);
}

function includedFolders(root) {
  return JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')).include;
}

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** Returns a digest of the path, size and modification time of each file that the compiler reads. */
export function stateOfSources(root) {
  const sources = includedFolders(root).flatMap((folder) => filesIn(join(root, folder)));
  const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'].map((name) => join(root, name));
  const digest = createHash('sha256');
  for (const path of [...sources.filter((path) => path.endsWith('.ts')), ...settings].sort()) {
    const { size, mtimeMs } = statSync(path);
    digest.update(`${relative(root, path)} ${size} ${mtimeMs}\n`);
  }
  return digest.digest('hex');
}

/** Removes compiled files that have no source any more: a compiled migration would still be run. */
export function removeOrphans(root) {
  for (const folder of includedFolders(root)) {
    for (const output of filesIn(join(root, 'dist', folder))) {
      const source = join(root, relative(join(root, 'dist'), output)).replace(/\.js(\.map)?$/, '.ts');
      if (/\.js(\.map)?$/.test(output) && !existsSync(source)) rmSync(output);
    }
  }
}
