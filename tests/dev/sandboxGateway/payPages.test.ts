import { payPage, unknownLinkPage } from '../../../dev/sandboxGateway/payPage';
import { newLink, type SandboxLink } from '../../../dev/sandboxGateway/SandboxLink';
import { faintTexts, startBrowser, type TestBrowser } from '../../support/browser';

const link = (changes: Partial<SandboxLink>): SandboxLink => {
  const body = { external_id: 'one', amount: 1_234, description: 'Invoice INV-1', payer_email: 'a@x.example' };
  return { ...newLink(body, 'http://127.0.0.1', new Date('2026-01-15T10:00:00Z')), ...changes };
};

test.each([
  ['JPY', 1_234, 'JPY 1,234'],
  ['USD', 1_234.5, 'USD 1,234.50'],
  ['BHD', 1_234.5, 'BHD 1,234.500'],
])('the pay page › shows an amount in %s with its decimals', (currency, amount, shown) => {
  const page = payPage(link({ currency, amount })).replaceAll('\u00a0', ' ');
  expect(page).toContain(`<p class="amount">${shown}</p>`);
});

describe('the pay pages in a browser', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  test.each([
    ['a link to pay', payPage(link({}))],
    ['a paid link', payPage(link({ status: 'PAID', success_redirect_url: 'https://shop.example' }))],
    ['an expired link', payPage(link({ status: 'EXPIRED' }))],
    ['an unknown link', unknownLinkPage()],
  ])('%s › every text has the contrast of level AA', async (_what, html) => {
    const page = await browser.open(`data:text/html;charset=utf-8,${encodeURIComponent(html)}`, 390);
    expect(await page.title()).not.toBe('');
    expect(await faintTexts(page)).toEqual([]);
  });
});
