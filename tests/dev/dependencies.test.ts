import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';

const read = (path: string): unknown => JSON.parse(readFileSync(join(projectRoot, path), 'utf8'));

/** Of Node.js 22 and newer alone. */
const newerChromium = 'chromium-for-node-22';

function sizeOf(folder: string): { files: number; bytes: number } {
  let [files, bytes] = [0, 0];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === newerChromium) continue;
    const path = join(folder, entry.name);
    const inside = entry.isDirectory() ? sizeOf(path) : { files: 1, bytes: 0 };
    files += inside.files;
    // On the disk, as `du` counts.
    bytes += inside.bytes + lstatSync(path).blocks * 512;
  }
  return { files, bytes };
}

test('an installation › has at most 900 packages, 550 MiB and 40,000 files', () => {
  const { packages } = read('node_modules/.package-lock.json') as { packages: Record<string, object> };
  expect(Object.keys(packages).length).toBeLessThanOrEqual(900);
  const { files, bytes } = sizeOf(join(projectRoot, 'node_modules'));
  expect(files).toBeLessThanOrEqual(40_000);
  expect(bytes / 2 ** 20).toBeLessThanOrEqual(550);
});

test('every dependency › has an exact version, and the lock file names no registry', () => {
  const { dependencies, devDependencies } = read('package.json') as Record<string, Record<string, string>>;
  const versions = Object.values({ ...dependencies, ...devDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
});

test('packages with advisories that nothing fixes › are not installed', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, object> };
  expect(Object.keys(packages).filter((name) => /(^|\/)(?:extract-zip|yauzl)$/.test(name))).toEqual([]);
});
