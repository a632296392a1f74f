import type { Page } from 'puppeteer';
import { startMailCatcher, type MailCatcher } from '../../../dev/mailCatcher/server';
import { faintTexts, startBrowser, type TestBrowser } from '../../support/browser';
import { message, smtpAt } from '../../workers/mail/localEmail';

const PHONE = 390;
const DESKTOP = 1280;

describe('the pages of the inbox in a browser', () => {
  let browser: TestBrowser;
  let catcher: MailCatcher;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  beforeEach(async () => {
    catcher = await startMailCatcher();
  });
  afterEach(() => catcher.close());
  afterAll(() => browser.close());

  async function send(subject: string): Promise<void> {
    const transport = smtpAt(catcher.smtpUrl);
    await transport.send(message({ subject }));
    await transport.close();
  }

  // What runs inside the page is a text: the types of a browser are not known here.
  const textsOf = (page: Page, selector: string): Promise<unknown> =>
    page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ textContent }) => textContent)`);

  it('at the width of a phone › shows whole subjects and needs no sideways scrolling', async () => {
    const subject = 'Invoice INV-2026-00001 from A company with a rather long name Ltd';
    await send(subject);
    const page = await browser.open(catcher.url, PHONE);
    expect(await textsOf(page, '.subject b')).toEqual([subject]);
    const box = 'document.querySelector(".subject").getBoundingClientRect()';
    expect(await page.evaluate(`${box}.left >= 0 && ${box}.right <= innerWidth && ${box}.width > innerWidth / 2`)).toBe(
      true,
    );
    expect(await page.evaluate('document.querySelector(".subject").scrollWidth <= Math.ceil(' + box + '.width)')).toBe(
      true,
    );
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE);
  });

  it('a message that arrives › shows up, and the focus stays where it was', async () => {
    await send('First');
    const page = await browser.open(catcher.url, DESKTOP);
    await page.focus('a[href="/messages/1"]');
    await send('Second');
    await page.waitForSelector('a[href="/messages/2"]');
    expect(await textsOf(page, '.row b')).toEqual(['Second', 'First']);
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe('/messages/1');
    expect(await textsOf(page, '#count')).toEqual(['2 caught here, none delivered']);
  });

  it('messages that are deleted › disappear, and the page says that there are none', async () => {
    await send('Only one');
    const page = await browser.open(catcher.url, DESKTOP);
    expect(await page.$('#none[hidden]')).not.toBeNull();
    await fetch(`${catcher.url}/api/messages`, { method: 'DELETE' });
    await page.waitForFunction('document.querySelector(".row") === null');
    await page.waitForSelector('#none:not([hidden])');
  });

  it.each([PHONE, DESKTOP])('%d pixels wide › every text has the contrast of level AA', async (width) => {
    await send('One');
    for (const path of ['/', '/messages/1', '/messages/9']) {
      const page = await browser.open(catcher.url + path, width);
      expect(await faintTexts(page)).toEqual([]);
    }
  });
});
