import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { generatedPages } from '../../dev/docs/generatedPages';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'clients/typescript/README.md',
  ...filesIn('docs').filter((path) => path.endsWith('.md')),
];
const folders = ['api', 'bench', 'cli', 'config', 'dev', 'operator', 'ops', 'proof', 'shared', 'tests', 'workers'];
/** All text files of code, operation and configuration. */
const sources = [...folders.flatMap(filesUnder), ...filesIn('.').filter((path) => !path.endsWith('.md'))].filter(
  (path) => !/\.(?:pdf|png|jpe?g|webp|woff2?|ttf|gz|tar|env|tsbuildinfo)$/.test(path),
);
const texts = new Map([...pages, ...sources].map((path) => [path, readFileSync(join(projectRoot, path), 'utf8')]));
const read = (path: string): string => texts.get(path) ?? '';

function filesIn(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(folder, entry.name));
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(projectRoot.length + 1));
}

/** Returns the anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Whether a page, and a heading of it if `anchor` is given, exists, or is generated and not committed. */
function isReadable(page: string, anchor: string | undefined): boolean {
  if (anchor === undefined && generatedPages.some(({ path }) => path === page)) return true;
  return existsSync(join(projectRoot, page)) && (anchor === undefined || anchorsOf(page).includes(anchor));
}

/** Returns the paths of source files that a text names, as they are written in it: `shared/invoices/rules.ts`. */
function namedSources(text: string): string[] {
  const path =
    /(?<![\w./@-])(?:api|bench|cli|config|dev|operator|ops|proof|shared|tests|workers)\/[\w./-]*\.(?:ts|mjs)\b/g;
  return [...text.matchAll(path)].map(([named]) => named);
}

/** Returns the lines outside of code blocks and tables. */
function proseOf(page: string): string[] {
  const withoutCode = read(page).replace(/^ *```.*?^ *```$/gms, '');
  return withoutCode.split('\n').filter((line) => !/^\s*\||^<img /.test(line));
}

test.each(pages)('%s › links to files and headings that exist', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
  const broken = links.filter(
    ([, file = '', anchor]) => !isReadable(file === '' ? page : join(dirname(page), file), anchor),
  );
  expect(broken.map(([link]) => link)).toEqual([]);
});

test.each(pages)('%s › names source files that exist', (page) => {
  const quoted = [
    ...read(page).matchAll(/`((?:api|bench|cli|config|dev|operator|ops|proof|shared|tests|workers)\/[\w./-]+)`/g),
  ].map(([, path = '']) => path);
  const named = [...quoted, ...namedSources(read(page))];
  expect(named.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
});

test.each(pages)('%s › has lines of at most 140 columns, tables and code blocks excepted', (page) => {
  expect(proseOf(page).filter((line) => line.length > 140)).toEqual([]);
});

test('code, operation and configuration › refer to pages and headings that exist', () => {
  const references = sources.flatMap((path) =>
    [...read(path).matchAll(/\bdocs\/([\w-]+\.md)(?:#([\w-]+))?/g)].map((match) => ({ path, match })),
  );
  expect(references.length).toBeGreaterThan(20);
  const broken = references.filter(({ match: [, page = '', anchor] }) => !isReadable(join('docs', page), anchor));
  expect(broken.map(({ path, match: [reference] }) => `${path}: ${reference}`)).toEqual([]);
});

test('comments › name source files that exist', () => {
  const code = sources.filter((path) => /\.(?:ts|mjs|cjs)$/.test(path));
  const named = code.flatMap((path) =>
    [...read(path).matchAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*$/gm)].flatMap(([comment]) =>
      namedSources(comment).map((name) => ({ path, name })),
    ),
  );
  expect(named.length).toBeGreaterThan(0);
  const stale = named.filter(({ name }) => !existsSync(join(projectRoot, name)));
  expect(stale.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
});

test('docs/run.md › explains log messages that the code has', () => {
  const code = ['api', 'config', 'operator', 'shared', 'workers'].flatMap((folder) =>
    sources.filter((path) => path.startsWith(`${folder}/`) && path.endsWith('.ts')).map(read),
  );
  const [, table = ''] = /^## Logs\n(.+?)^## /ms.exec(read('docs/run.md')) ?? [];
  const messages = [...table.matchAll(/^\| `([^`]+?)(?: …)?` +\|/gm)].slice(1).map(([, message = '']) => message);
  expect(messages.length).toBeGreaterThan(10);
  expect(messages.filter((message) => !code.some((source) => source.includes(message)))).toEqual([]);
});
