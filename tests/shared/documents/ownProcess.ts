import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../../config/paths';

/** What an expression over the files in `dist` gives in a process of its own, as JSON. */
export function evaluateInOwnProcess(expression: string, environment: Record<string, string> = {}): unknown {
  const script = `process.stdout.write(JSON.stringify(${expression}));`;
  const options = {
    cwd: join(projectRoot, 'dist'),
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  } as const;
  return JSON.parse(execFileSync(process.execPath, ['-e', script], options));
}
