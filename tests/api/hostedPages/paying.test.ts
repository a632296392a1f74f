import axe from 'axe-core';
import type { Page } from 'puppeteer';
import { loadInvoiceDocument } from '../../../shared/invoiceDocuments';
import { Company } from '../../../shared/models';
import { startBrowser, type TestBrowser } from '../../support/browser';
import { eventually } from '../../support/eventually';
import { atEnd } from '../../support/installation';
import { Effects, type Subject } from '../../support/workers';

const address = 'http://billing.example.com';
let effects: Effects;
let browser: TestBrowser;

beforeAll(async () => {
  effects = await Effects.start({ PUBLIC_URL: address });
  await effects.startPool(['pdf', 'email', 'payment-link']);
  browser = await startBrowser(`MAP billing.example.com ${new URL(effects.api.url).host}`);
  atEnd(() => browser.close());
});

/** The address of the page, as the e-mail of the invoice has it. */
async function addressInEmail({ as, invoice, clientEmail }: Subject): Promise<string> {
  await as.post(`/api/invoices/${invoice.id}/send-email`).expect(200);
  const [message] = await effects.messagesTo(clientEmail);
  const [url] = /http:\/\/billing\.example\.com\/i\/[\w-]{32}/.exec(message?.html ?? '') ?? [];
  expect(message?.text).toContain(url);
  return url ?? '';
}

/** What the browser refuses or reports as wrong. */
function problemsOf(page: Page): string[] {
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('requestfailed', (request) => problems.push(`${request.url()}: ${request.failure()?.errorText}`));
  return problems;
}

const textOf = (page: Page): Promise<string> => page.evaluate('document.body.innerText') as Promise<string>;

/** Presses the button and waits for the page that follows. */
const press = (page: Page): Promise<unknown> => Promise.all([page.waitForNavigation(), page.click('button')]);

test.each([390, 1280])('from the e-mail to “paid”, in a window of %d pixels', async (width) => {
  const subject = await effects.invoice();
  const page = await browser.open(await addressInEmail(subject), width);
  const problems = problemsOf(page);
  expect(await textOf(page)).toContain(subject.invoice.invoiceNumber);
  await press(page);
  expect(page.url()).toMatch(new RegExp(`^${effects.sandbox.url}/web/`));
  await press(page);
  await Promise.all([page.waitForNavigation(), page.click('a')]);
  expect(page.url()).toMatch(/^http:\/\/billing\.example\.com\/i\/[\w-]{32}\?from=payment$/);
  // The page reads itself again until the payment is reported.
  await page.waitForFunction('/Paid/.test(document.body?.innerText)', { timeout: 120_000 });
  expect(await page.$('button')).toBeNull();
  expect(problems).toEqual([]);
  const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}`).expect(200);
  expect(body).toMatchObject({ status: 'paid' });
});

test('the keyboard alone › pays', async () => {
  const subject = await effects.invoice();
  const page = await browser.open(await addressInEmail(subject), 390);
  await page.keyboard.press('Tab');
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  expect(page.url()).toMatch(new RegExp(`^${effects.sandbox.url}/web/`));
});

test('a link to another origin than the page names › is reached all the same', async () => {
  const subject = await effects.invoice();
  const page = await browser.open(await addressInEmail(subject), 390);
  const problems = problemsOf(page);
  const elsewhere = effects.sandbox.url.replace('127.0.0.1', 'localhost');
  const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
  await subject.as.post(path).expect(200);
  await effects.services.sql.run('UPDATE payment_links SET url = REPLACE(url, ?, ?) WHERE invoiceId = ?', [
    ...[effects.sandbox.url, elsewhere, subject.invoice.id],
  ]);
  await press(page);
  await eventually(() => page.url().startsWith(`${elsewhere}/web/`));
  expect(problems).toEqual([]);
});

describe('what axe finds', () => {
  const longName = 'Perusahaan Perseroan dengan Nama yang Sangat Panjang dan Tanpa Akhir Internasional Tbk';

  async function shown(subject: Subject, changes: Record<string, unknown> = {}): Promise<string> {
    await Company.update(changes, { where: { id: subject.companyId } });
    return addressInEmail(subject);
  }

  test.each([
    ['sent', 'en', 'light', 390],
    ['sent', 'en', 'dark', 1280],
    ['partly paid', 'de', 'dark', 390],
    ['paid', 'ar', 'light', 390],
    ['overdue', 'ja', 'light', 1280],
  ])('a %s invoice in %s, %s, %d pixels › nothing', async (state, locale, scheme, width) => {
    const subject = await effects.invoice({
      notes: 'Thank you.\nBank: 1234',
      items: [
        { description: `Consulting\n${'x'.repeat(80)}`, quantity: 2, unitPrice: '100.00' },
        { description: 'A second item', quantity: 1.5, unitPrice: '12345678.90' },
      ],
    });
    await setLogoOf(subject, state);
    const url = await shown(subject, { locale, name: longName });
    if (state === 'partly paid' || state === 'paid') await payPart(subject, state === 'paid');
    if (state === 'overdue') {
      await subject.as.put(`/api/invoices/${subject.invoice.id}`).send({ status: 'overdue' }).expect(200);
    }
    const page = await browser.open('about:blank', width);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    const problems = problemsOf(page);
    await page.goto(url);
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)).toEqual([]);
    // Nothing is wider than the window.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(problems).toEqual([]);
    const { document } = await loadInvoiceDocument(effects.services, subject.companyId, subject.invoice.id);
    const language = await page.evaluate('document.documentElement.lang + document.documentElement.dir');
    expect(language).toBe(document.language + document.direction);
    if (process.env['SHOTS']) {
      await page.screenshot({
        path: `${process.env['SHOTS']}/${state.replace(' ', '-')}-${width}.png`,
        fullPage: true,
      });
    }
  });

  async function setLogoOf(subject: Subject, state: string): Promise<void> {
    if (state !== 'sent') return;
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="90"><rect width="300" height="90" fill="#0a7"/></svg>';
    await subject.as.put('/api/company/logo').attach('logo', Buffer.from(svg), 'logo.svg').expect(200);
  }

  async function payPart({ as, invoice }: Subject, everything: boolean): Promise<void> {
    const amount = everything ? invoice.total : '20.00';
    await as.post(`/api/invoices/${invoice.id}/payments`).send({ amount }).expect(201);
  }
});
