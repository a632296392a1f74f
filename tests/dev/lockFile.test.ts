import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';

interface Locked {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * npm leaves a platform's package out of the lock file when the registry it asked did not have it, and then npm 11 refuses
 * the whole file in `npm ci`. Such an entry is written by hand: version, os, cpu, libc, "optional": true.
 */
test('the lock file has the optional packages of every platform', () => {
  const text = readFileSync(join(projectRoot, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});
