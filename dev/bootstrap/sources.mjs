import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of `tsconfig.json` whose files run from where they are, or have a build of their own. */
const notCompiled = ['tests', 'clients/typescript/src'];

/** Returns the folders that are compiled into `dist`. An image has some of them. */
export function compiledFolders(root) {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  return include.filter((folder) => !notCompiled.includes(folder) && existsSync(join(root, folder)));
}

export function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** Returns the paths of the sources. */
export function sourcesIn(root) {
  return compiledFolders(root)
    .flatMap((folder) => filesIn(join(root, folder)))
    .filter((path) => path.endsWith('.ts'));
}
