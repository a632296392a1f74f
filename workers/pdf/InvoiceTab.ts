import { readFile } from 'node:fs/promises';
import type { CDPSession, Page } from 'puppeteer';
import type { FontSlice } from '../../shared/document/fontCatalog';
import { invoiceFrame, type InvoicePage } from '../../shared/document/invoiceHtml';
import { printOptions } from '../../shared/document/printOptions';
import { selectFonts } from '../../shared/document/selectFonts';
import type { Chromium } from './Chromium';
import { fillPage, type FillArguments, type FillOutcome } from './fillPage';

/** Thrown by {@link InvoiceTab.print} when the page's logo is not an image that Chromium can read. */
export class UnreadableImage extends Error {}

/** Past this many font files a page is better thrown away than kept. */
const fontLimit = 400;

/**
 * A page that is loaded once and prints one invoice after another: style sheet and fonts stay, only content is exchanged.
 * It is offline, its scripts are off, and what it is given cannot make it load or navigate unnoticed.
 */
export class InvoiceTab {
  private readonly loaded = new Set<FontSlice>();
  private broken = false;
  private printed = 0;

  private constructor(
    readonly browser: Chromium,
    private readonly page: Page,
    private readonly session: CDPSession,
    private readonly documentId: string,
  ) {
    session.on('Page.frameNavigated', () => (this.broken = true));
  }

  /** Opens a page with the frame and the fonts that every invoice uses. */
  static async open(browser: Chromium): Promise<InvoiceTab> {
    const page = await browser.client.newPage();
    page.once('error', () => browser.kill());
    const session = await page.createCDPSession();
    await session.send('Page.enable');
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: true,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
    await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    const { frameTree } = await session.send('Page.getFrameTree');
    await session.send('Page.setDocumentContent', { frameId: frameTree.frame.id, html: invoiceFrame() });
    const { result } = await session.send('Runtime.evaluate', { expression: 'document' });
    if (!result.objectId) throw new Error('the page has no document');
    const tab = new InvoiceTab(browser, page, session, result.objectId);
    const fonts = selectFonts('A0');
    await tab.fill({ language: 'en', title: '', style: '', body: '', fonts });
    return tab;
  }

  /** True as long as the page can print another invoice. */
  usable(prints: number): boolean {
    return this.browser.alive && !this.broken && this.printed < prints && this.loaded.size < fontLimit;
  }

  /**
   * Prints one invoice. After any error the tab must not be used again.
   * @throws {UnreadableImage} when the logo cannot be decoded; the tab stays usable.
   */
  async print(page: InvoicePage): Promise<Buffer> {
    this.printed += 1;
    if ((await this.fill(page)) === 'unreadable image') throw new UnreadableImage();
    const { data } = await this.session.send('Page.printToPDF', printOptions);
    if (this.broken) throw new Error('the page navigated away while it was printed');
    const pdf = Buffer.from(data, 'base64');
    if (pdf.toString('latin1', 0, 5) !== '%PDF-') throw new Error('Chromium printed something that is not a PDF');
    return pdf;
  }

  /** Closes the page; the browser goes on. */
  async close(): Promise<void> {
    this.broken = true;
    if (this.browser.alive) await this.page.close();
  }

  private async fill(page: InvoicePage): Promise<FillOutcome> {
    const missing = [...page.fonts.slices].filter((slice) => !this.loaded.has(slice));
    const value: FillArguments = {
      language: page.language,
      title: page.title,
      style: page.style,
      body: page.body,
      fonts: (await Promise.all(missing.map(fontFaces))).flat(),
    };
    const { result, exceptionDetails } = await this.session.send('Runtime.callFunctionOn', {
      objectId: this.documentId,
      functionDeclaration: fillPage,
      arguments: [{ value }],
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) {
      throw new Error(`the page was not filled: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    }
    for (const slice of missing) this.loaded.add(slice);
    return result.value as FillOutcome;
  }
}

async function fontFaces(slice: FontSlice): Promise<FillArguments['fonts']> {
  const unicodeRange = slice.ranges.map(([first, last]) => `U+${first.toString(16)}-${last.toString(16)}`).join();
  const face = async (weight: string, file: string) => {
    const source = `data:font/woff2;base64,${await readFile(file, 'base64')}`;
    return { family: slice.family, weight, source, unicodeRange };
  };
  return Promise.all([face('400', slice.files.regular), face('700', slice.files.bold)]);
}
