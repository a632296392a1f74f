import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { generatedPages } from './generatedPages';

async function writePages(): Promise<void> {
  for (const { path, render } of generatedPages) writeFileSync(join(projectRoot, path), await render());
}

void writePages();
