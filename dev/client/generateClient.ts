import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../config/paths';
import { currentDocument } from '../docs/contract';
import { operationsFile } from './operationsFile';
import { type ClientDocument, reduceDocument } from './reduceDocument';

const run = promisify(execFile);

/** From the repository's root. */
export const generatedFolder = 'clients/typescript/src/generated';

/** Writes the generated part of the client into a folder: the types, and the table of operations. */
export async function generateClient(folder: string): Promise<void> {
  const document = reduceDocument(currentDocument() as unknown as ClientDocument);
  const scratch = await mkdtemp(join(tmpdir(), 'invoicing-client-'));
  try {
    const input = join(scratch, 'openapi.json');
    await writeFile(input, JSON.stringify(document));
    const tool = join(projectRoot, 'node_modules/.bin/openapi-ts');
    await run(tool, ['-i', input, '-o', join(scratch, 'out'), '-p', '@hey-api/typescript', '-s'], { cwd: scratch });
    await mkdir(folder, { recursive: true });
    await copyFile(join(scratch, 'out/types.gen.ts'), join(folder, 'types.gen.ts'));
    await writeFile(join(folder, 'operations.gen.ts'), operationsFile(document));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
