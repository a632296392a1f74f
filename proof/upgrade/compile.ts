import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { transformFile, type Options } from '@swc/core';
import { projectRoot } from '../../config/paths';

/** Folders that no process of a release needs. */
const tools = ['bench', 'dev', 'proof'];

/**
 * Compiles a release into its `dist`, in a second or two. Its types were checked when it was committed. The compiler is
 * the one that the tests use.
 */
export async function compile(folder: string): Promise<void> {
  const { transform } = createRequire(__filename)(join(projectRoot, 'jest.config.cjs')) as {
    transform: Record<string, readonly [name: string, options: Options]>;
  };
  const [[, options]] = Object.values(transform) as [readonly [string, Options]];
  const { include } = JSON.parse(readFileSync(join(folder, 'tsconfig.build.json'), 'utf8')) as { include: string[] };
  const sources = include.filter((name) => !tools.includes(name));
  for (const path of sources.flatMap((name) => typescriptIn(folder, name))) {
    const { code } = await transformFile(join(folder, path), { ...options, swcrc: false });
    const output = join(folder, 'dist', path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, code);
  }
}

function typescriptIn(folder: string, name: string): string[] {
  const paths = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => path.endsWith('.ts')).map((path) => join(name, path));
}
