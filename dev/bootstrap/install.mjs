import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runStep } from './runStep.mjs';

/** Runs `npm ci` when node_modules is not what package-lock.json says. */
export async function installIfStale(root) {
  if (isInstalled(join(root, 'package-lock.json'), join(root, 'node_modules/.package-lock.json'))) return;
  // Development tools too, also where NODE_ENV=production: the build is one of them.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath ?? '';
  const command = basename(npm) === 'npm-cli.js' ? [process.execPath, npm] : ['npm'];
  await runStep('installing the locked dependencies (npm ci)', [...command, ...args], root);
}

/**
 * True when every package of the lock file is in npm's own record of what it installed, in the same version. npm writes that
 * record last, so an interrupted installation has none. Optional packages may be missing: they are for other systems.
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
