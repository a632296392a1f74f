import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { generatedPages } from '../../dev/docs/generatedPages';

test.each(generatedPages)('$path › is what `npm run docs` writes', async ({ path, render }) => {
  expect(readFileSync(join(projectRoot, path), 'utf8')).toBe(await render());
});
