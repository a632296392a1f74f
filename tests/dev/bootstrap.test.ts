import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../config/paths';

/** The entries' own modules are plain ES modules, which Jest does not load: they are called in a Node.js of their own. */
function call(module: string, name: string, ...args: readonly string[]): unknown {
  const url = join(projectRoot, 'dev/bootstrap', module);
  const code = `import { ${name} } from ${JSON.stringify(url)}; console.log(JSON.stringify(${name}(...process.argv.slice(1)) ?? null));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', code, '--', ...args], { encoding: 'utf8' }),
  );
}

describe('bootstrap', () => {
  let folder: string;
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'invoicing-bootstrap-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  describe('are the locked dependencies installed?', () => {
    const koa = { version: '3.0.0', integrity: 'sha512-a' };
    const isInstalled = (locked: object, installed: object) => {
      write('locked', JSON.stringify({ packages: { '': {}, ...locked } }));
      write('installed', JSON.stringify({ packages: installed }));
      return call('install.mjs', 'isInstalled', join(folder, 'locked'), join(folder, 'installed'));
    };
    const path = 'node_modules/koa';

    test('the same packages: yes', () => expect(isInstalled({ [path]: koa }, { [path]: koa })).toBe(true));
    test('one is missing: no', () => expect(isInstalled({ [path]: koa }, {})).toBe(false));
    test('another version: no', () =>
      expect(isInstalled({ [path]: koa }, { [path]: { ...koa, version: '3.0.1' } })).toBe(false));
    test('only one for another system is missing: yes', () =>
      expect(isInstalled({ [path]: { ...koa, optional: true } }, {})).toBe(true));
    test('nothing was installed, or not to its end: no', () => {
      write('locked', '{}');
      expect(call('install.mjs', 'isInstalled', join(folder, 'locked'), join(folder, 'none'))).toBe(false);
    });
  });

  describe('the build', () => {
    beforeEach(() => {
      write('tsconfig.json', '{"include":["api","tests"]}');
      write('.swcrc', '{}');
      write('package-lock.json', '{}');
      write('dev/bootstrap/compile.mjs', '');
      write('api/index.ts', '1');
    });
    const state = () => call('build.mjs', 'stateOfSources', folder);

    test('is stale when a source was changed, added or removed, and only then', () => {
      const first = state();
      expect(state()).toBe(first);
      write('api/notes.md', 'not a source');
      expect(state()).toBe(first);
      write('api/index.ts', '12');
      const changed = state();
      expect(changed).not.toBe(first);
      write('api/other.ts', '');
      expect(state()).not.toBe(changed);
      rmSync(join(folder, 'api/other.ts'));
      expect(state()).toBe(changed);
    });

    test('compiles each source, and drops the output of those that are gone', () => {
      write(
        'api/index.ts',
        "export const load = (): Promise<unknown> => import('./other.mjs');\nexport const one = 1;",
      );
      write('tests/index.test.ts', '1');
      for (const name of ['api/gone.js', 'api/gone.js.map', '.built']) write(`dist/${name}`, '');
      execFileSync(process.execPath, [join(projectRoot, 'dev/bootstrap/compile.mjs'), folder]);
      const outputs = readdirSync(join(folder, 'dist'), { recursive: true }).sort();
      expect(outputs).toEqual(['.built', 'api', 'api/index.js', 'api/index.js.map']);
      const { sources } = JSON.parse(readFileSync(join(folder, 'dist/api/index.js.map'), 'utf8')) as {
        sources: string[];
      };
      // Wherever the folder is moved to.
      expect(sources).toEqual(['../../api/index.ts']);
      // ES modules can be imported only, and find the exports of others by name.
      write('dist/api/other.mjs', 'export const two = 2;');
      write('dist/api/main.mjs', "import { load, one } from './index.js';\nconsole.log(one, await load());");
      const output = execFileSync(process.execPath, [join(folder, 'dist/api/main.mjs')], { encoding: 'utf8' });
      expect(output).toBe('1 [Module: null prototype] { two: 2 }\n');
    });
  });

  test('under one lock several processes work one after another, and a dead holder is no obstacle', async () => {
    const lock = join(folder, 'lock');
    writeFileSync(lock, '999999999');
    const code = `
      import { appendFileSync } from 'node:fs';
      import { setTimeout as sleep } from 'node:timers/promises';
      import { withLock } from ${JSON.stringify(join(projectRoot, 'dev/bootstrap/lock.mjs'))};
      const log = (line) => appendFileSync(process.argv[1], line + '\\n');
      await withLock(process.argv[2], async () => { log('in'); await sleep(50); log('out'); });`;
    const log = join(folder, 'log');
    const children = [1, 2, 3, 4].map(() =>
      spawn(process.execPath, ['--input-type=module', '-e', code, '--', log, lock], { stdio: 'ignore' }),
    );
    await Promise.all(children.map((child) => once(child, 'exit')));
    expect(readFileSync(log, 'utf8')).toBe('in\nout\n'.repeat(4));
    expect(existsSync(lock)).toBe(false);
  });
});
