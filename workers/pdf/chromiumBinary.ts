import { constants } from 'node:fs/promises';
import puppeteer from 'puppeteer';
import { bundledChromiumRuns, isAccessible, unpackBrowser } from './unpackChromium';

/** The program of a browser. */
export interface ChromiumBinary {
  path: string;
  /** A folder of shared libraries for machines that lack them, or null. */
  libraries: string | null;
}

/** Thrown when no browser is found. The message says how to get one. */
export class ChromiumMissing extends Error {
  constructor(tried: readonly string[]) {
    super(
      `no Chrome or Chromium was found (tried ${tried.join(', ')}). On x64 Linux one comes with the npm packages: run ` +
        '`npm ci`. Elsewhere install Google Chrome or Chromium, or set CHROME_PATH to its binary, for example ' +
        'CHROME_PATH=/usr/lib/chromium/chromium.',
    );
    this.name = 'ChromiumMissing';
  }
}

/** Binaries, not wrappers: Debian's /usr/bin/chromium is a shell script, and killing a script does not kill the browser. */
const systemPaths = [
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Finds the browser that prints: `chromePath` when given, else the one inside the npm packages (unpacked into `folder` on first
 * use), else one installed on the machine, else puppeteer's. Downloads nothing.
 * @throws {ChromiumMissing} when there is none.
 */
export async function findChromium(chromePath: string, folder: string): Promise<ChromiumBinary> {
  if (chromePath !== '') {
    if (await isAccessible(chromePath, constants.X_OK)) return { path: chromePath, libraries: null };
    throw new ChromiumMissing([`CHROME_PATH=${chromePath}, which is not an executable file`]);
  }
  if (bundledChromiumRuns) {
    const { binary, libraries } = await unpackBrowser(folder);
    return { path: binary, libraries };
  }
  const candidates = [...systemPaths, puppeteer.executablePath()];
  for (const path of candidates) if (await isAccessible(path, constants.X_OK)) return { path, libraries: null };
  throw new ChromiumMissing(candidates);
}
