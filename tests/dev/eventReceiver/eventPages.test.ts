import type { Page } from 'puppeteer';
import { startEventReceiver, type EventReceiver } from '../../../dev/eventReceiver/server';
import { faintTexts, startBrowser, type TestBrowser } from '../../support/browser';

const PHONE = 390;
const DESKTOP = 1280;

describe('the pages of the event receiver in a browser', () => {
  let browser: TestBrowser;
  let receiver: EventReceiver;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  beforeEach(async () => {
    receiver = await startEventReceiver();
  });
  afterEach(() => receiver.close());
  afterAll(() => browser.close());

  const send = (type = 'invoice.payment_link.created', id = 17): Promise<Response> =>
    fetch(receiver.endpointUrl, {
      method: 'POST',
      headers: { 'webhook-id': `evt_${id}` },
      body: JSON.stringify({ type, data: { subject: { type: 'invoice', id } } }),
    });

  // What runs inside the page is a text: the types of a browser are not known here.
  const textsOf = (page: Page, selector: string): Promise<unknown> =>
    page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ textContent }) => textContent)`);

  it('at the width of a phone › shows whole types and needs no sideways scrolling', async () => {
    await send('invoice.payment_link.created_with_a_rather_long_name_that_goes_on');
    for (const path of ['/', '/events/1']) {
      const page = await browser.open(receiver.url + path, PHONE);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE);
    }
    const page = await browser.open(receiver.url, PHONE);
    const what = 'document.querySelector(".what")';
    expect(await page.evaluate(`${what}.scrollWidth <= Math.ceil(${what}.getBoundingClientRect().width)`)).toBe(true);
  });

  it('an event that arrives › shows up, and the focus stays where it was', async () => {
    await send('invoice.created');
    const page = await browser.open(receiver.url, DESKTOP);
    await page.focus('a[href="/events/1"]');
    await send('invoice.sent');
    await page.waitForSelector('a[href="/events/2"]');
    expect(await textsOf(page, '.row b')).toEqual(['invoice.sent', 'invoice.created']);
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe('/events/1');
    expect(await textsOf(page, '#count')).toEqual(['2 received since the start']);
  });

  it('the buttons › set what the next request meets, the page says so, and afterwards that it is over', async () => {
    const page = await browser.open(receiver.url, DESKTOP);
    await Promise.all([page.waitForNavigation(), page.click('button[value="gone"]')]);
    expect(await textsOf(page, '#faults')).toEqual(['For the next requests the receiver responds with 410.']);
    expect((await send()).status).toBe(410);
    await page.waitForFunction('document.querySelector("#faults").textContent.startsWith("Every request gets 200")');
    for (const button of ['fail', 'hang', 'break']) {
      await Promise.all([page.waitForNavigation(), page.click(`button[value="${button}"]`)]);
    }
    expect(receiver.faults.waiting.map(({ mode }) => mode)).toEqual(['fail', 'hang', 'break']);
    await Promise.all([page.waitForNavigation(), page.click('button[value="reset"]')]);
    expect(receiver.faults.waiting).toEqual([]);
  });

  it('markup in an event › is shown as text, and a request that is gone is 404', async () => {
    await send('<img src=x onerror=document.title=1>');
    const page = await browser.open(`${receiver.url}/events/1`, DESKTOP);
    expect(await page.$('img')).toBeNull();
    expect(await textsOf(page, 'h1')).toEqual(['<img src=x onerror=document.title=1>']);
    expect((await fetch(`${receiver.url}/events/9`)).status).toBe(404);
  });

  it.each([PHONE, DESKTOP])('%d pixels wide › every text has the contrast of level AA', async (width) => {
    await send();
    for (const path of ['/', '/events/1', '/events/9']) {
      const page = await browser.open(receiver.url + path, width);
      expect(await faintTexts(page)).toEqual([]);
    }
  });
});
