import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The newest first. npm leaves out a package that asks for a newer Node.js than the one that runs. */
const mains: Readonly<Record<string, () => string>> = {
  'chromium-for-node-22': () => require.resolve('chromium-for-node-22'),
  '@sparticuz/chromium': () => require.resolve('@sparticuz/chromium'),
};

/** The npm package whose Chromium prints the invoices. */
export interface BrowserPackage {
  folder: string;
  version: string;
}

/** @throws {Error} when no package is installed. */
export function browserPackage(): BrowserPackage {
  for (const [name, resolve] of Object.entries(mains)) {
    const main = ifInstalled(resolve);
    if (main === null) continue;
    const folder = main.slice(0, main.lastIndexOf(name) + name.length);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { folder, version };
  }
  throw new Error(`none of the npm packages ${Object.keys(mains).join(', ')} is installed: run \`npm ci\``);
}

function ifInstalled(resolve: () => string): string | null {
  try {
    return resolve();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
