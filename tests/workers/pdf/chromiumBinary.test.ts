import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../../shared/engine/log/log';
import { ChromiumMissing, findChromium } from '../../../workers/pdf/chromiumBinary';
import { chromiumLauncher } from '../../../workers/pdf/chromiumLauncher';
import { InvoiceTab } from '../../../workers/pdf/InvoiceTab';
import { privateFolder } from '../../../workers/pdf/privateFolder';
import { unpackFontConfig } from '../../../workers/pdf/unpackChromium';
import { ownRenderers } from './processes';

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

  it('requested twice at the same time in an empty folder › unpacks one whole browser with its libraries', async () => {
    const found = await Promise.all([1, 2].map(() => findChromium('', folder)));
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
  it('with a program that is no browser › reports its output', async () => {
    const launch = chromiumLauncher({ chromePath: '/bin/ls', allowNoSandbox: true, environment: 'test' }, log);
    await expect(launch()).rejects.toThrow(/\/bin\/ls did not start: .*headless/s);
  });

  describe('where the kernel allows user namespaces', () => {
    const allowed = spawnSync('/usr/bin/unshare', ['--user', 'true']).status === 0;
    const here = allowed ? it : it.skip;

    here('starts the browser in its own sandbox, and never as root', async () => {
      const options = { chromePath: '', allowNoSandbox: false, environment: 'production' } as const;
      const browser = await chromiumLauncher(options, log)();
      try {
        await InvoiceTab.open(browser);
        const own = readlinkSync('/proc/self/ns/user');
        const renderers = ownRenderers();
        expect(renderers.length).toBeGreaterThan(0);
        for (const pid of renderers) {
          expect(readlinkSync(`/proc/${pid}/ns/user`)).not.toBe(own);
          expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\t(?!0\t)/m);
        }
      } finally {
        await browser.dispose();
      }
    });
  });

  describe('where the sandbox does not work', () => {
    let folder: string;
    let chromePath: string;
    const warnings = jest.fn();
    const listening = Object.assign(createLogger('silent', 'test'), { warn: warnings });

    /** The browser as it behaves without user namespaces. */
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'no-sandbox-'));
      chmodSync(folder, 0o755);
      const { path, libraries } = await findChromium('', await privateFolder('invoicing-chromium'));
      chromePath = join(folder, 'chromium');
      const script = `#!/bin/sh
        case "$*" in
          *--no-sandbox*) LD_LIBRARY_PATH='${libraries}' exec '${path}' "$@" ;;
          *) echo 'No usable sandbox!' >&2; exit 1 ;;
        esac`;
      writeFileSync(chromePath, script, { mode: 0o755 });
    });
    beforeEach(() => warnings.mockClear());
    afterAll(() => rmSync(folder, { recursive: true }));

    it('in production › refuses, and says how to get it or to do without', async () => {
      const launch = chromiumLauncher({ chromePath, allowNoSandbox: false, environment: 'production' }, listening);
      await expect(launch()).rejects.toThrow(/user namespaces.*seccomp.*CHROME_ALLOW_NO_SANDBOX=true/s);
      await expect(launch()).rejects.toMatchObject({
        cause: { message: expect.stringContaining('No usable') as unknown },
      });
    });

    it('in production, where that is allowed › starts without it and warns of the risk, once', async () => {
      const launch = chromiumLauncher({ chromePath, allowNoSandbox: true, environment: 'production' }, listening);
      for (const browser of [await launch(), await launch()]) {
        expect(browser.alive).toBe(true);
        await browser.dispose();
      }
      expect(warnings).toHaveBeenCalledTimes(1);
      expect(warnings).toHaveBeenCalledWith(expect.anything(), expect.stringContaining('credentials of database'));
    });
  });

  it('once a browser had its sandbox › starts no later one without it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-lost-'));
    const chromePath = join(folder, 'chromium');
    try {
      chmodSync(folder, 0o755);
      const { path, libraries } = await findChromium('', await privateFolder('invoicing-chromium'));
      const proven = (command: string) =>
        writeFileSync(chromePath, `#!/bin/sh\nexport LD_LIBRARY_PATH='${libraries}'\n${command}`, { mode: 0o755 });
      // Stands for a sandboxed browser also where this machine allows none.
      proven(`exec '${path}' --no-sandbox "$@"`);
      const launch = chromiumLauncher({ chromePath, allowNoSandbox: true, environment: 'test' }, log);
      await (await launch()).dispose();
      proven(`case "$*" in *--no-sandbox*) exec '${path}' "$@" ;; *) exit 1 ;; esac`);
      await expect(launch()).rejects.toThrow(/did not start/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
