import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../config/paths';

const pages = ['README.md', 'CONTRIBUTING.md', ...filesIn('docs').filter((path) => path.endsWith('.md'))];
const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');

function filesIn(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(folder, entry.name));
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

test.each(pages)('%s › links to files and headings that exist', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
  const broken = links.filter(([, file = '', anchor]) => {
    const target = file === '' ? page : join(dirname(page), file);
    if (!existsSync(join(projectRoot, target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test.each(pages)('%s › names source files that exist', (page) => {
  const named = [
    ...read(page).matchAll(/`((?:api|bench|cli|config|dev|operator|ops|proof|shared|tests|workers)\/[\w./-]+)`/g),
  ];
  expect(named.flatMap(([, path = '']) => (existsSync(join(projectRoot, path)) ? [] : [path]))).toEqual([]);
});

test('docs/production.md › explains log messages that the code has', () => {
  const sources = ['api', 'config', 'operator', 'shared', 'workers'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => read(join(folder, path))),
  );
  const [, table = ''] = /^## Logs\n(.+?)^## /ms.exec(read('docs/production.md')) ?? [];
  const messages = [...table.matchAll(/^\| `([^`]+?)(?: …)?` +\|/gm)].slice(1).map(([, message = '']) => message);
  expect(messages.length).toBeGreaterThan(10);
  expect(messages.filter((message) => !sources.some((source) => source.includes(message)))).toEqual([]);
});
