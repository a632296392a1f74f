import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../../config/paths';

/** What an expression over the files in `dist` gives in a process of its own, as JSON. */
export function evaluateInOwnProcess(expression: string, environment: Record<string, string> = {}): unknown {
  const options = { cwd: join(projectRoot, 'dist'), env: { ...process.env, ...environment } };
  return JSON.parse(execFileSync(process.execPath, ['-p', `JSON.stringify(${expression})`], options).toString());
}
