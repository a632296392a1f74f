import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

function findRoot(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error(`no package.json above ${__dirname}`);
  return findRoot(parent);
}

/** The repository's root, also when `dist` runs. Paths of templates and fonts start here. */
export const projectRoot = findRoot(__dirname);
