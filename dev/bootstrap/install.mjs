import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runStep } from './runStep.mjs';

/** Runs `npm ci` when node_modules differs from package-lock.json. */
export async function installIfStale(root) {
  if (isInstalled(join(root, 'package-lock.json'), join(root, 'node_modules/.package-lock.json'))) return;
  // The build needs development packages, also where NODE_ENV=production.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath ?? '';
  const command = basename(npm) === 'npm-cli.js' ? [process.execPath, npm] : ['npm'];
  await runStep('installing the locked dependencies (npm ci)', [...command, ...args], root);
}

/**
 * Returns true when npm's record of installed packages has every package of the lock file, in the same version. npm
 * writes the record last, so an interrupted installation has none. Optional packages for other systems may be missing.
 */
export function isInstalled(lockFile, installedFile) {
  if (!existsSync(installedFile)) return false;
  const locked = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  return Object.entries(locked).every(([path, entry]) => {
    if (path === '') return true;
    const found = installed[path];
    if (found === undefined) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}
