import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildInvoiceDocument } from '../../../shared/documents/buildInvoiceDocument';
import { invoicePage } from '../../../shared/documents/invoiceHtml';
import { createLogger } from '../../../shared/engine/log/log';
import type { Chromium } from '../../../workers/pdf/Chromium';
import { chromiumLauncher } from '../../../workers/pdf/chromiumLauncher';
import { InvoiceTab } from '../../../workers/pdf/InvoiceTab';
import { eventually } from '../../support/eventually';
import { invoiceSource } from '../../shared/documents/invoiceDocuments';
import { readPdf } from './pdfText';
import { testRenderer } from './testRenderer';

/** Every way by which a page could reach an address, one after another. */
const lures = (url: string) => [
  `<img src="${url}/img" srcset="${url}/set 2x">`,
  `<link rel="prefetch" href="${url}/prefetch"><link rel="preconnect" href="${url}"><link rel="dns-prefetch" href="${url}">`,
  `<link rel="stylesheet" href="${url}/css"><link rel="icon" href="${url}/icon"><link rel="preload" as="font" href="${url}/font">`,
  `<style>@import url(${url}/import); body { background: url(${url}/background) }</style>`,
  `<p style="background: url(${url}/inline); list-style: url(${url}/list)">x</p>`,
  `<script>fetch('${url}/script'); new WebSocket('${url.replace('http', 'ws')}')</script><script src="${url}/js"></script>`,
  `<img src="x" onerror="fetch('${url}/handler')">`,
  `<iframe src="${url}/frame"></iframe><iframe src="file:///etc/passwd"></iframe><iframe srcdoc="<img src='${url}/doc'>"></iframe>`,
  `<object data="${url}/object"></object><embed src="${url}/embed"><video src="${url}/video" poster="${url}/poster"></video>`,
  `<svg><image href="${url}/image" /><use href="${url}/use#a" /></svg>`,
  `<form action="${url}/form"><input autofocus onfocus="this.form.submit()"></form>`,
  `<base href="${url}/"><meta http-equiv="refresh" content="0; url=${url}/refresh">`,
];

describe('the page that prints', () => {
  let server: Server;
  let url = '';
  let connections = 0;

  beforeAll(async () => {
    server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await sleep(500);
    server.close();
    expect(connections).toBe(0);
  });

  it('with lures in every text of an invoice › prints them as text and connects nowhere', async () => {
    const renderer = testRenderer();
    try {
      const all = lures(url).join(' ');
      const party = { name: all, email: all, phone: all, address: all, taxId: all };
      const items = [{ description: all, quantity: '1.00', unitPrice: '1.00', amount: '1.00' }];
      const source = invoiceSource({ invoiceNumber: all, notes: all, sender: party, client: party, items });
      const { pages } = await readPdf(await renderer.render(buildInvoiceDocument(source), null));
      const text = pages.map((page) => page.text.replace(/\s/g, '')).join('');
      for (const lure of lures(url)) expect(text).toContain(lure.replace(/\s/g, ''));
      expect(text).not.toContain('root:x:0:0');
    } finally {
      await renderer.close();
    }
  });

  describe('even if a template forgot to escape', () => {
    let browser: Chromium;
    const frame = invoicePage(buildInvoiceDocument(invoiceSource()), null);
    const options = { chromePath: '', allowNoSandbox: true, environment: 'test' } as const;

    beforeAll(async () => {
      browser = await chromiumLauncher(options, createLogger('silent', 'test'))();
    });
    afterAll(() => browser.dispose());

    it.each(Array.from(lures('http://x').keys()))(
      'lure %i connects nowhere, and never prints another page',
      async (index) => {
        const tab = await InvoiceTab.open(browser);
        const print = () => tab.print({ ...frame, body: `${lures(url)[index]}${frame.body}` });
        const outcome = await print().then(
          async (pdf) => (pdf instanceof Buffer ? (await readPdf(pdf)).pages.map((page) => page.text).join() : pdf),
          (error: unknown) => String(error),
        );
        expect(connections).toBe(0);
        expect(outcome).toMatch(/INV-2025-00042|Error|unreadable image/);
        expect(outcome).not.toContain('root:x:0:0');
      },
    );

    it('a page that navigated away › is an error and not used again', async () => {
      const tab = await InvoiceTab.open(browser);
      const body = `<meta http-equiv="refresh" content="0; url=${url}/refresh">${frame.body}`;
      await tab.print({ ...frame, body }).catch(() => null);
      await eventually(() => !tab.usable(1_000));
      await expect(tab.print(frame)).rejects.toThrow();
      expect(connections).toBe(0);
    });
  });
});
