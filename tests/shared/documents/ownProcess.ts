import { execFileSync } from 'node:child_process';
import { projectRoot } from '../../../config/paths';

/** The start of a `node -e` script that can then `require` the project's TypeScript files, relative to its root. */
export const requireTypeScript = `
  const { readFileSync } = require('node:fs');
  const { transformSync } = require('@swc/core');
  const options = { module: { type: 'commonjs' }, jsc: { target: 'es2022', parser: { syntax: 'typescript' } } };
  require.extensions['.ts'] = (module, filename) =>
    module._compile(transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, filename);
`;

/** What an expression over the project's files gives in a process of its own, as JSON. */
export function evaluateInOwnProcess(expression: string, environment: Record<string, string> = {}): unknown {
  const script = `${requireTypeScript} process.stdout.write(JSON.stringify(${expression}));`;
  const options = { cwd: projectRoot, encoding: 'utf8', env: { ...process.env, ...environment } } as const;
  return JSON.parse(execFileSync(process.execPath, ['-e', script], options));
}
