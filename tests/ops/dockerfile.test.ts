import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { projectRoot } from '../../config/paths';
import { baseFamily, symbolFamilies, simplifiedFamily } from '../../shared/documents/fontCatalog';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const dockerfile = read('Dockerfile');
const instructions = DockerfileParser.parse(dockerfile).getInstructions();
const argumentsOf = (keyword: string): string[] =>
  instructions.filter((one) => one.getKeyword() === keyword).map((one) => one.getArgumentsContent() ?? '');
/** What `COPY` takes from this folder, and not from another stage. */
const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, text = '']) =>
  text.split(' ').slice(0, -1),
);

describe('the Dockerfile', () => {
  test('has no mistake that a linter finds', () => {
    expect(validate(dockerfile).map(({ message, range }) => [range.start.line + 1, message])).toEqual([]);
  });

  test('copies files that exist and that .dockerignore lets through', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(copied.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
    const isUnder = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
    expect(copied.filter((path) => !allowed.some((folder) => isUnder(path, folder)))).toEqual([]);
    expect(allowed.filter((folder) => !copied.some((path) => isUnder(path, folder)))).toEqual([]);
  });

  test('copies every folder that production code is in', () => {
    const { include } = JSON.parse(read('tsconfig.json')) as { include: string[] };
    const others = ['bench', 'clients/typescript/src', 'dev', 'proof', 'tests'];
    const production = include.filter((folder) => !others.includes(folder));
    expect(production.filter((folder) => !copied.includes(folder))).toEqual([]);
  });

  test('contains the licences of what it is made of', () => {
    expect(argumentsOf('COPY')).toEqual(
      expect.arrayContaining(['/app/docs/third-party.md docs/third-party.md', 'LICENSE LICENSE']),
    );
    expect(argumentsOf('RUN').join('\n')).toContain('node dist/dev/docs/index.js');
  });

  test('copies the files that are read from beside the sources', () => {
    const others = readdirSync(join(projectRoot, 'shared'), { recursive: true, encoding: 'utf8' }).filter(
      (path) => /\.[a-z]+$/.test(path) && !path.endsWith('.ts'),
    );
    const missing = others.filter(
      (path) => !copied.some((source) => source !== 'shared' && `shared/${path}`.startsWith(source)),
    );
    expect(missing).toEqual([]);
  });

  test('runs as a user that is a number and not root, in every stage that runs', () => {
    const users = argumentsOf('USER');
    expect(users.at(-1)).toBe('1000:1000');
    expect(users[0]).toBe('1000:1000');
  });

  test('is healthy only when the process is ready, on the port of its role', () => {
    const [check = ''] = argumentsOf('HEALTHCHECK');
    expect(check).toContain('/readyz');
    expect(check).toContain('WORKER_HEALTH_PORT');
  });

  test('keeps the font files that the catalogue names', () => {
    const kept = argumentsOf('RUN').join('\n');
    expect(kept).toContain("! -name '*-400-normal.woff' ! -name '*-[47]00-normal.woff2'");
    for (const { boldWeight } of [baseFamily, simplifiedFamily, ...symbolFamilies])
      expect([400, 700]).toContain(boldWeight);
  });

  test('uses a Node.js that the packages support', () => {
    const [, image] = /^FROM node:(\d+)-bookworm-slim AS base$/m.exec(dockerfile) ?? [];
    const browser = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { engines?: { node?: string } }>;
    };
    expect(browser.packages['node_modules/chromium-for-node-22']?.engines?.node).toContain(`>=${image}`);
  });
});
