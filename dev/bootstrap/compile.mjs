// `npm run build`: compiles the sources into dist, each file by itself. Types are checked by `npm run typecheck`.
// Another folder than the project's may be given: that of an earlier release.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';
import { compiledFolders, filesIn, sourcesIn } from './sources.mjs';

const project = fileURLToPath(new URL('../..', import.meta.url));
const root = resolve(process.argv[2] ?? project);
const dist = join(root, 'dist');
// `import()` stays: it loads ES modules, which `require` cannot in Node.js 20. ES modules find our exports by name. Tests need neither.
const options = {
  configFile: join(project, '.swcrc'),
  swcrc: false,
  module: { type: 'commonjs', ignoreDynamic: true, exportInteropAnnotation: true },
};

const written = new Set();
function write(path, text) {
  written.add(path);
  // A copy of dist by hard links keeps what it has.
  rmSync(path, { force: true });
  writeFileSync(path, text);
}

async function compile(source) {
  const output = join(dist, relative(root, source).replace(/\.ts$/, '.js'));
  const sourceFileName = relative(dirname(output), source);
  const { code, map } = await transformFile(source, { ...options, sourceFileName });
  mkdirSync(dirname(output), { recursive: true });
  write(output, `${code}\n//# sourceMappingURL=${basename(output)}.map\n`);
  write(`${output}.map`, map);
}

await Promise.all(sourcesIn(root).map(compile));
// The output of a source that was removed: a compiled migration would still be run.
for (const folder of compiledFolders(root))
  for (const path of filesIn(join(dist, folder))) if (!written.has(path)) rmSync(path);
