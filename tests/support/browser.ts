import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer';
import { findChromium } from '../../workers/pdf/chromiumBinary';
import { privateFolder } from '../../workers/pdf/privateFolder';

/** A browser of a person, which reaches loopback addresses (the workers' own one reaches nothing). */
export interface TestBrowser {
  /** Opens an address in a window that is `width` pixels wide. */
  open(url: string, width: number): Promise<Page>;
  close(): Promise<void>;
}

/** Starts the project's own Chromium. @param hosts where hosts are that do not exist: `MAP pay.example.com 127.0.0.1:3000` */
export async function startBrowser(hosts = ''): Promise<TestBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'test-browser-'));
  const { path, libraries } = await findChromium('', await privateFolder('invoicing-chromium'));
  const launch = (): Promise<Browser> =>
    puppeteer.launch({
      executablePath: path,
      userDataDir: join(folder, 'profile'),
      env: { HOME: folder, ...(libraries !== null && { LD_LIBRARY_PATH: libraries }) },
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        ...(hosts && [`--host-resolver-rules=${hosts}`]),
      ],
    });
  // On a busy machine Chromium sometimes crashes while it starts; what the tests are about is the page.
  const browser = await launch().catch(launch);
  return {
    async open(url, width) {
      const page = await browser.newPage();
      await page.setViewport({ width, height: 800 });
      await page.goto(url);
      return page;
    },
    async close() {
      await browser.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Returns the texts of a page whose contrast to their background is below 4.5 (WCAG 2.2, 1.4.3, level AA). */
export async function faintTexts(page: Page): Promise<string[]> {
  return (await page.evaluate(`(${findFaintTexts})()`)) as string[];
}

/** Runs inside the page, so it is a text: the types of a browser are not known here. */
const findFaintTexts = `() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((channel) => linear(channel / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element) => {
    if (element === null) return 'rgb(255, 255, 255)';
    const color = getComputedStyle(element).backgroundColor;
    return channels(color)[3] === 0 ? backgroundOf(element.parentElement) : color;
  };
  const contrast = (element) => {
    const [one, other] = [luminance(getComputedStyle(element).color), luminance(backgroundOf(element))];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '');
  return [...document.body.querySelectorAll('*:not(script)')]
    .filter((element) => hasText(element) && contrast(element) < 4.5)
    .map((element) => contrast(element).toFixed(2) + ': ' + element.textContent.trim());
}`;
