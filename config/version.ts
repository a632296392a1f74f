import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { satisfies } from 'semver';
import { ConfigurationError } from './ConfigurationError';
import { projectRoot } from './paths';

const { version, engines } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  version: string;
  engines: { node: string };
};

/** The version in package.json. */
export { version };

/**
 * Checks that Node.js is one of the versions in package.json. In older ones, a request body full of numbers in quotes holds up the process for
 * two seconds (CVE-2026-21717).
 * @throws {ConfigurationError}
 */
export function requireNode(running = process.versions.node): void {
  if (satisfies(running, engines.node)) return;
  throw new ConfigurationError([`Node.js is ${running}: install ${engines.node}, for example the newest 24`]);
}
