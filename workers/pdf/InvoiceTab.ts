import { readFile } from 'node:fs/promises';
import type { CDPSession, Page } from 'puppeteer';
import {
  type FontSelection,
  type FontSlice,
  invoiceFrame,
  type InvoicePage,
  printOptions,
  selectFonts,
} from '../../shared/documents';
import type { Chromium } from './Chromium';
import { addFonts, fillPage, type FillOutcome, type FontArguments } from './fillPage';
import { reproducible } from './reproducible';

/** A page that holds more font files than this is replaced. */
const fontLimit = 800;
/**
 * A browser keeps what it needed to lay out a text, up to a gigabyte for the longest, until it collects garbage. By itself it does so too
 * rarely, so it is told to after this many characters.
 */
const charactersOfGarbage = 200_000;
/** Font files of one message to the browser: about a megabyte. */
const fontBatch = 16;

/**
 * Tests whether a PDF may have megabytes: it has much text, a large logo, or many signs, whose shapes it brings along. In one message, 8 MB
 * would hold this process for 0.2 s. A small one as a stream takes 1 ms more of it.
 */
const mayBeLarge = ({ body, logo, fonts }: InvoicePage) =>
  body.length + (logo?.length ?? 0) > 100_000 || fonts.slices.size > 20;
/** How much of a large PDF comes in one message. */
const pieceBytes = 512 * 1024;

/** One weight of one slice. */
interface FontFile {
  slice: FontSlice;
  weight: '400' | '700';
  path: string;
}

/**
 * A page that is loaded once and prints one invoice after another: style sheet and fonts stay, only the content is replaced.
 * It is offline and its scripts are off. If content makes it navigate, the print fails.
 */
export class InvoiceTab {
  private readonly loaded = new Set<string>();
  private broken = false;
  private prints = 0;
  /** Printed characters since the last collection of garbage. */
  private uncollected = 0;

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
    await tab.loadFonts(selectFonts('', 'A0'));
    return tab;
  }

  /** Tests whether the page can print another invoice. It is used up after `prints`. */
  usable(prints: number): boolean {
    return this.browser.alive && !this.broken && this.prints < prints && this.loaded.size < fontLimit;
  }

  /** Prints one invoice, unless its logo cannot be decoded. After any error the tab must not be used again. */
  async print(invoice: InvoicePage): Promise<Buffer | 'unreadable image'> {
    const { fonts, ...page } = invoice;
    this.prints += 1;
    await this.loadFonts(fonts);
    const outcome = (await this.call(fillPage, page)) as FillOutcome;
    if (outcome === 'unreadable image') return 'unreadable image';
    const transferMode = mayBeLarge(invoice) ? 'ReturnAsStream' : 'ReturnAsBase64';
    const { data, stream } = await this.session.send('Page.printToPDF', { ...printOptions, transferMode });
    const pdf = stream === undefined ? Buffer.from(data, 'base64') : await this.read(stream);
    await this.collectGarbage(page.body.length);
    if (this.broken) throw new Error('the page navigated away while it was printed');
    if (pdf.toString('latin1', 0, 5) !== '%PDF-') throw new Error('Chromium printed something that is not a PDF');
    return reproducible(pdf);
  }

  private async collectGarbage(characters: number): Promise<void> {
    this.uncollected += characters;
    if (this.uncollected < charactersOfGarbage) return;
    this.uncollected = 0;
    await this.session.send('HeapProfiler.collectGarbage');
  }

  /** Reads a stream in pieces, between which the process does other work. */
  private async read(handle: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let isEnd = false; !isEnd;) {
      const { data, eof } = await this.session.send('IO.read', { handle, size: pieceBytes });
      pieces.push(Buffer.from(data, 'base64'));
      isEnd = eof;
    }
    await this.session.send('IO.close', { handle });
    return Buffer.concat(pieces);
  }

  /** Loads the fonts that the page does not have yet, in batches: a text may need hundreds. */
  private async loadFonts(fonts: FontSelection): Promise<void> {
    const missing = filesOf(fonts).filter(({ weight, path }) => !this.loaded.has(weight + path));
    for (let at = 0; at < missing.length; at += fontBatch) {
      const batch = missing.slice(at, at + fontBatch);
      await this.call(addFonts, await Promise.all(batch.map(fontFace)));
      for (const { weight, path } of batch) this.loaded.add(weight + path);
    }
  }

  private async call(functionDeclaration: string, value: unknown): Promise<unknown> {
    const { result, exceptionDetails } = await this.session.send('Runtime.callFunctionOn', {
      objectId: this.documentId,
      functionDeclaration,
      arguments: [{ value }],
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) {
      throw new Error(`the page was not filled: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    }
    return result.value;
  }
}

function filesOf({ slices, boldSlices }: FontSelection): FontFile[] {
  const regular = [...slices].map((slice): FontFile => ({ slice, weight: '400', path: slice.files.regular }));
  const bold = [...boldSlices].map((slice): FontFile => ({ slice, weight: '700', path: slice.files.bold }));
  return [...regular, ...bold];
}

async function fontFace({ slice: { family, ranges }, weight, path }: FontFile): Promise<FontArguments> {
  const unicodeRange = ranges.map(([first, last]) => `U+${first.toString(16)}-${last.toString(16)}`).join();
  return { family, weight, unicodeRange, source: await readFile(path, 'base64') };
}
