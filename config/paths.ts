import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

function findRoot(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error(`no package.json above ${__dirname}`);
  return findRoot(parent);
}

/** The repository's root, the same from the sources and from `dist`. Templates and fonts are found from here. */
export const projectRoot = findRoot(__dirname);
