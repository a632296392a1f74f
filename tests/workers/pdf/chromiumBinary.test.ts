import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../../shared/log';
import { ChromiumMissing, findChromium } from '../../../workers/pdf/chromiumBinary';
import { chromiumLauncher } from '../../../workers/pdf/chromiumLauncher';
import { privateFolder } from '../../../workers/pdf/privateFolder';
import { unpackFontConfig } from '../../../workers/pdf/unpackChromium';

const log = createLogger('silent', 'test');

describe('findChromium', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'find-chromium-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('with CHROME_PATH › takes that binary and nothing of its own', async () => {
    expect(await findChromium(process.execPath, folder)).toEqual({ path: process.execPath, libraries: null });
  });

  it('with a CHROME_PATH that is no program › says so, and how to get one', async () => {
    await expect(findChromium('/nowhere/chrome', folder)).rejects.toThrow(ChromiumMissing);
    await expect(findChromium('/nowhere/chrome', folder)).rejects.toThrow(/CHROME_PATH=\/nowhere\/chrome.*npm ci/s);
  });

  it('asked three times at once in an empty folder › unpacks one whole browser with its libraries', async () => {
    const found = await Promise.all([1, 2, 3].map(() => findChromium('', folder)));
    expect(new Set(found.map(({ path }) => path)).size).toBe(1);
    for (const { path, libraries } of found) {
      accessSync(path, constants.X_OK);
      for (const library of ['libnss3.so', 'libnspr4.so', 'libexpat.so.1']) {
        expect(existsSync(join(libraries ?? '', library))).toBe(true);
      }
    }
    expect(readdirSync(folder)).toHaveLength(1);
  });
});

describe('unpackFontConfig', () => {
  it('knows no folder of fonts but its own', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'font-config-'));
    try {
      const file = await unpackFontConfig(folder);
      expect(file.startsWith(folder)).toBe(true);
      expect(readdirSync(join(file, '..', 'fonts'), { recursive: true }).join()).toContain('OpenSans-Regular.ttf');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('privateFolder', () => {
  const name = `private-folder-${process.pid}`;
  const folder = join(tmpdir(), `${name}-${process.getuid?.() ?? 0}`);
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made for this user alone, and found again', async () => {
    expect(await privateFolder(name)).toBe(folder);
    expect(await privateFolder(name)).toBe(folder);
  });

  it('that others may write to, or that is a link › is refused', async () => {
    mkdirSync(folder, { mode: 0o777 });
    chmodSync(folder, 0o777);
    await expect(privateFolder(name)).rejects.toThrow(/not a private folder/);
    rmSync(folder, { recursive: true });
    symlinkSync(tmpdir(), folder);
    await expect(privateFolder(name)).rejects.toThrow(/not a private folder/);
  });
});

describe('chromiumLauncher', () => {
  it('with a program that is no browser › says what it said', async () => {
    const launch = chromiumLauncher({ chromePath: '/bin/ls', allowNoSandbox: true, environment: 'test' }, log);
    await expect(launch()).rejects.toThrow(/\/bin\/ls did not start: .*headless/s);
  });

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot('as root in production › refuses, unless running without a sandbox is allowed', async () => {
    const options = { chromePath: '', environment: 'production' } as const;
    await expect(chromiumLauncher({ ...options, allowNoSandbox: false }, log)()).rejects.toThrow(
      /runs as root.*CHROME_ALLOW_NO_SANDBOX=true/s,
    );
    const browser = await chromiumLauncher({ ...options, allowNoSandbox: true }, log)();
    expect(browser.alive).toBe(true);
    await browser.dispose();
    expect(browser.alive).toBe(false);
  });
});
