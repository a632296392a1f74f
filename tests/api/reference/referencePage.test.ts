import { gunzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { Page } from 'puppeteer';
import { operationView } from '../../../api/reference/OperationView';
import { renderReference } from '../../../api/reference/renderReference';
import type { ReferenceDocument } from '../../../api/reference/ReferenceDocument';
import { startBrowser, type TestBrowser } from '../../support/browser';
import { createClient, createCompany } from '../../support/factories';
import { atEnd } from '../../support/installation';
import { startApi, type TestApi } from '../../support/server';

let api: TestApi;
let token: string;
let clientId: number;

beforeAll(async () => {
  api = await startApi({ env: { PUBLIC_URL: 'https://billing.example.net' } });
  const company = await createCompany(api.services);
  ({ token } = company);
  clientId = (await createClient(api.services, company.companyId)).id;
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(api.url + path, { headers, redirect: 'manual' });

describe('/', () => {
  test('opened by a browser › leads to the page, wherever a proxy serves it', async () => {
    const response = await get('/', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([response.status, response.headers.get('Location')]).toEqual([302, 'docs']);
  });

  test.each(['application/json', '*/*'])('for a program that accepts %s › 404', async (accept) => {
    const response = await get('/', { Accept: accept });
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'route_not_found' }]);
  });
});

describe('the page', () => {
  test('needs no key, has a strict policy, and names nothing outside of it', async () => {
    const response = await get('/docs');
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
    expect(policy).not.toContain('unsafe');
    const html = await response.text();
    expect(html).not.toMatch(/<style| style=|<script>| on[a-z]+=/);
    const links = [...html.matchAll(/(?:href|src|action)="([^"#]*)/g)].map(([, address = '']) => address);
    expect([...new Set(links)].filter((address) => /^[a-z]+:|^\//.test(address))).toEqual(['data:,']);
  });

  test('shows every operation and every type of event, with what the document says of them', async () => {
    const html = await (await get('/docs')).text();
    const document = (await (await get('/openapi.json')).json()) as ReferenceDocument;
    const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((o) => o.operationId));
    for (const id of ids) expect(html).toContain(`id="${id}"`);
    for (const type of Object.keys(document.webhooks)) expect(html).toContain(`id="event-${type}"`);
    for (const { name } of document.tags) expect(html).toContain(`>${name}</h2>`);
  });

  test('is not sent again to a browser that has it; its files are kept for ever', async () => {
    const first = await get('/docs', { 'Accept-Encoding': 'gzip' });
    const tag = first.headers.get('ETag') ?? '';
    expect([first.headers.get('Cache-Control'), first.headers.get('Content-Encoding')]).toEqual(['no-cache', 'gzip']);
    expect((await get('/docs', { 'Accept-Encoding': 'gzip', 'If-None-Match': tag })).status).toBe(304);
    expect((await get('/docs', { 'Accept-Encoding': 'identity', 'If-None-Match': tag })).status).toBe(200);
    const html = await first.text();
    const files = [...html.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files).toHaveLength(2);
    for (const file of files) {
      const response = await get(`/${file}`);
      expect([response.status, response.headers.get('Cache-Control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
    expect((await get('/docs/other.js')).status).toBe(404);
    expect((await get('/docs/')).headers.get('Location')).toBe('../docs');
  });

  test('with its files › takes less than 100 kB on the wire', async () => {
    const { default: http } = await import('node:http');
    const bytesOf = (path: string): Promise<Buffer> =>
      new Promise((resolve, reject) => {
        http
          .get(api.url + path, { headers: { 'Accept-Encoding': 'gzip' } }, (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
          })
          .on('error', reject);
      });
    const page = await bytesOf('/docs');
    const files =
      gunzipSync(page)
        .toString()
        .match(/docs\/[\w-]+\.(css|js)/g) ?? [];
    const sizes = await Promise.all(files.map(async (file) => (await bytesOf(`/${file}`)).length));
    expect(page.length + sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
  });

  test('with API_DOCS=false › is 404, and so is /', async () => {
    const without = await startApi({ env: { API_DOCS: 'false' } });
    for (const path of ['/', '/docs']) {
      expect((await fetch(without.url + path, { headers: { Accept: 'text/html' } })).status).toBe(404);
    }
    expect((await fetch(`${without.url}/openapi.json`)).status).toBe(200);
  });

  test('of a document with markup and a deprecated operation › escapes the one, and marks the other', async () => {
    const hostile = '"><script>alert(1)</script>`<b>`';
    const document = (await (await get('/openapi.json')).json()) as ReferenceDocument;
    const operation = document.paths['/api/clients']?.['post'];
    if (operation === undefined) throw new Error('there is no such operation');
    Object.assign(operation, { summary: hostile, description: hostile, deprecated: true });
    Object.assign(operation.requestBody?.content['application/json'] ?? {}, { example: { name: hostile } });
    const html = await renderReference(document, { style: 'a.css', script: 'a.js' });
    expect(html).not.toContain('<script>');
    expect(html).not.toContain('<b>');
    expect(html).toMatch(/id="createClient"[^]{0,500}<span class="deprecated">deprecated/);
    const { snippets } = operationView(['post', '/api/clients'], operation, document);
    expect(snippets.map(({ language }) => language)).toEqual(['curl', 'JavaScript', 'Python']);
  });
});

describe('in a browser', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
    atEnd(() => browser.close());
  });

  interface Opened {
    page: Page;
    /** What the browser refuses or reports as wrong. */
    problems: string[];
    requests: string[];
  }

  async function open(width: number, scheme = 'light'): Promise<Opened> {
    const page = await browser.open('about:blank', width);
    const [problems, requests]: [string[], string[]] = [[], []];
    page.on('console', (message) => message.type() !== 'log' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => requests.push(request.url()));
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(`${api.url}/docs`);
    await laidOut(page);
    return { page, problems, requests };
  }

  /** Waits until nothing moves any more. */
  const laidOut = (page: Page): Promise<unknown> =>
    page.waitForFunction("document.querySelector('.entry:not(.laid-out)') === null");

  const visible = async (page: Page, selector: string): Promise<number> =>
    (await page.evaluate(
      `[...document.querySelectorAll('${selector}')].filter((one) => !one.hidden).length`,
    )) as number;
  const textOf = async (page: Page, selector: string): Promise<string> =>
    (await page.evaluate(`document.querySelector('${selector}').innerText`)) as string;

  /** Sends the form of an operation, and returns what is shown of the response. */
  async function send(page: Page, id: string): Promise<string> {
    await page.click(`#${id} .send`);
    await page.waitForFunction(
      `/^(\\d{3} |Not sent|No resp)/.test(document.querySelector('#${id} .result').innerText)`,
    );
    return textOf(page, `#${id} .result`);
  }

  async function retype(page: Page, selector: string, text: string): Promise<void> {
    await page.focus(selector);
    await page.keyboard.down('Control');
    await page.keyboard.press('KeyA');
    await page.keyboard.up('Control');
    await page.keyboard.press('Backspace');
    await page.type(selector, text);
  }

  test.each([390, 1280])(
    'in a window of %d pixels: filter, enter the key, create an invoice, download the list',
    async (width) => {
      const { page, problems, requests } = await open(width);
      const all = await visible(page, '.operation');
      if (width < 960) await page.click('.menu');
      await page.type('#filter', 'create invoice');
      expect(await visible(page, '.operation')).toBeLessThan(all / 4);
      expect(await textOf(page, '#found')).toMatch(/^\d+ of \d+ operations$/);
      await page.click('nav a[href="#createInvoice"]');
      expect(await send(page, 'createInvoice')).toMatch(/^Not sent\. Enter an API key/);
      expect(await (await page.$('#createInvoice .result'))?.isIntersectingViewport()).toBe(true);
      await page.type('#api-key', token);
      const body = JSON.stringify({
        clientId,
        issueDate: '2027-01-15',
        dueDate: '2027-02-14',
        items: [{ description: '<b>Design</b>', quantity: 1, unitPrice: '10.00' }],
      });
      await retype(page, '#createInvoice-body', body);
      const created = await send(page, 'createInvoice');
      expect(created).toMatch(/^201 Created/);
      expect(created).toContain('"description": "<b>Design</b>"');
      await retype(page, '#createInvoice-body', '{"clientId": 0}');
      expect(await send(page, 'createInvoice')).toMatch(/^400 Bad Request[^]+validation_failed/);

      await page.goto(`${api.url}/docs#listClients`);
      await page.reload();
      await laidOut(page);
      await retype(page, '#listClients-search', '');
      await page.select('#listClients-type', 'text/csv');
      expect(await send(page, 'listClients')).toMatch(/^200 OK[^]+Save [^\n]+-clients-[\d-]+\.csv \(\d+ bytes\)\s+id,/);
      expect(await page.evaluate("document.querySelector('#api-key').value")).toBe(token);
      expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}');
      expect(requests.filter((url) => !url.startsWith(`${api.url}/`) && !/^(data|blob):/.test(url))).toEqual([]);
      expect(requests.filter((url) => url.includes(token))).toEqual([]);
      // Chromium reports each refused request in the console.
      expect(problems.filter((problem) => !problem.includes('status of 400'))).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await page.close();
    },
  );

  test('the fields of a response › are shown where it is opened', async () => {
    const { page } = await open(1280);
    await page.click('#getInvoice .object summary');
    await page.waitForSelector('#getInvoice .object .fields');
    expect(await textOf(page, '#getInvoice .object')).toContain('invoiceNumber');
    await page.close();
  });

  test('the language of one example › is that of all, also by the keyboard', async () => {
    const { page } = await open(1280);
    await page.focus('#createInvoice .bar input');
    await page.keyboard.press('ArrowRight');
    const shown = await page.evaluate(
      "[...document.querySelectorAll('#getInvoice pre')].filter((one) => one.checkVisibility()).map((one) => one.innerText)",
    );
    expect(shown).toEqual([expect.stringContaining('await client.getInvoice({')]);
    await page.close();
  });

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ])('%d pixels, %s › axe finds nothing', async (width, scheme) => {
    const { page } = await open(width, scheme);
    // Operations have the same parts, coloured by their method: the whole page is checked once, and a few in each width and in the dark.
    const few = ['createInvoice', 'listInvoices', 'updateInvoice', 'deleteInvoice', 'createReceipt'];
    if (width !== 1280 || scheme !== 'light') {
      // axe walks through what it is told to leave out, too.
      await page.evaluate(`
        const kept = ${JSON.stringify([...few, 'event-invoice.paid', 'object-Invoice'])};
        document.querySelectorAll('.entry[id]').forEach((one) => kept.includes(one.id) || one.remove());
        document.querySelectorAll('nav a').forEach((one) => document.getElementById(one.hash.slice(1)) ?? one.remove());`);
      expect(await visible(page, '.operation')).toBe(few.length);
    }
    await page.evaluate(axe.source);
    const violationsIn = (selector: string): Promise<unknown> =>
      page.evaluate(`axe.run('${selector}').then(({ violations }) => violations.map((v) => v.id + v.nodes[0].html))`);
    // What is folded up there is made of the same parts everywhere.
    await page.evaluate("document.querySelectorAll('#createInvoice details').forEach((one) => (one.open = true))");
    expect(await violationsIn('html')).toEqual([]);
    if (width < 960) {
      await page.click('.menu');
      expect(await violationsIn('#menu')).toEqual([]);
    }
    await page.close();
  });

  test('without script › everything can be read, and there is nothing that does not work', async () => {
    const page = await browser.open('about:blank', 1280);
    await page.setJavaScriptEnabled(false);
    await page.goto(`${api.url}/docs`);
    await page.evaluate("document.querySelector('#createInvoice').scrollIntoView()");
    expect(await textOf(page, '#createInvoice .example pre')).toContain('Authorization: Bearer $API_TOKEN');
    for (const selector of ['.send', '.copy', '#api-key', '#filter']) {
      expect(await page.evaluate(`document.querySelector('${selector}').checkVisibility()`)).toBe(false);
    }
    await page.close();
  });
});
