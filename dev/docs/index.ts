import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { contractPath, currentDocument, keptContract } from './contract';
import { contractBreaks } from './contractBreaks';
import { generatedPages } from './generatedPages';

async function writePages(): Promise<void> {
  for (const { path, render } of generatedPages) writeFileSync(join(projectRoot, path), await render());
}

/** Returns the breaking changes of this version; none with `--breaking`. */
function breaksOfContract(): string[] {
  if (process.argv.includes('--breaking') || !existsSync(join(projectRoot, contractPath))) return [];
  return contractBreaks(keptContract(), currentDocument());
}

const breaks = breaksOfContract();
if (breaks.length === 0) void writePages();
else {
  const remedy =
    'Keep it, marked `deprecated`, beside what is new. `npm run docs -- --breaking` writes it all the same.';
  console.error([`This breaks programs that call the service, by ${contractPath}:`, ...breaks, remedy].join('\n'));
  process.exitCode = 1;
}
