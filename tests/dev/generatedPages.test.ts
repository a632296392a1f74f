import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { committedPages } from '../../dev/docs/generatedPages';
import { thirdPartyPage } from '../../dev/docs/thirdPartyPage';

test.each(committedPages)('$path › is what `npm run docs` writes', async ({ path, render }) => {
  expect(readFileSync(join(projectRoot, path), 'utf8')).toBe(await render());
});

test('docs/third-party.md › names every package that production installs, and no other', () => {
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; license: string; dev?: boolean }>;
  };
  const lines = new Set(thirdPartyPage().split('\n'));
  const isNamed = ([folder, { version, license }]: (typeof packages)[number]) => {
    const line = `${folder.split('node_modules/').at(-1)} ${version}: ${license}`;
    return lines.has(line) || [...lines].some((one) => one.startsWith(`${line}, by `));
  };
  const packages = Object.entries(lock.packages).filter(([folder]) => folder !== '');
  const production = packages.filter(([, { dev }]) => dev !== true);
  expect(production.filter((one) => !isNamed(one)).map(([folder]) => folder)).toEqual([]);
  for (const tool of ['node_modules/jest', 'node_modules/eslint'])
    expect(packages.filter(([folder]) => folder === tool).filter(isNamed)).toEqual([]);
});

test('docs/third-party.md › has the texts of the licences', () => {
  const page = thirdPartyPage();
  for (const words of ['Permission is hereby granted, free of charge', 'SIL OPEN FONT LICENSE', 'Apache License'])
    expect(page).toContain(words);
});
