import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runStep } from './runStep.mjs';
import { sourcesIn } from './sources.mjs';

/** Compiles the sources into dist when one of them was changed, added or removed since the last build. */
export async function buildIfStale(root) {
  const stamp = join(root, 'dist/.built');
  const state = stateOfSources(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return;
  rmSync(stamp, { force: true });
  await runStep('building', [process.execPath, join(root, 'dev/bootstrap/compile.mjs')], root);
  writeFileSync(stamp, state);
}

/** Returns a digest of the path, size and modification time of each source, and of what decides how it is compiled. */
export function stateOfSources(root) {
  const settings = ['tsconfig.json', '.swcrc', 'package-lock.json', 'dev/bootstrap/compile.mjs'].map((name) =>
    join(root, name),
  );
  const digest = createHash('sha256');
  for (const path of [...sourcesIn(root), ...settings].sort()) {
    const { size, mtimeMs } = statSync(path);
    digest.update(`${relative(root, path)} ${size} ${mtimeMs}\n`);
  }
  return digest.digest('hex');
}
