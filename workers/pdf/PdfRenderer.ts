import type { InvoiceDocument } from '../../shared/document/InvoiceDocument';
import { invoicePage, type Logo } from '../../shared/document/invoiceHtml';
import { RenderFailed } from '../../shared/errors';
import type { Logger } from '../../shared/log';
import { BrowserRotation } from './BrowserRotation';
import type { Chromium } from './Chromium';
import { chromiumLauncher, type LauncherOptions } from './chromiumLauncher';
import { InvoiceTab, UnreadableImage } from './InvoiceTab';
import { Slots } from './Slots';

/** Limits of a renderer; the browser's own options are in {@link LauncherOptions}. */
export interface PdfRendererOptions extends LauncherOptions {
  /** Pages that print at once; more jobs wait. About one a core. */
  concurrency: number;
  /** Milliseconds for one PDF, after which its browser counts as hung. */
  deadlineMs?: number;
  rendersPerTab?: number;
  rendersPerBrowser?: number;
}

/** Prints invoices in a browser that is started on first use, kept warm, watched and replaced. */
export interface PdfRenderer {
  /**
   * Starts the browser now, so that the first PDF does not wait for it.
   * @throws {RenderFailed} whose cause says why there is no browser.
   */
  warm(): Promise<void>;
  /**
   * Prints one invoice; a null or unreadable logo leaves the company's name in its place.
   * @throws {RenderFailed} when the browser crashed or hung; the next call works on a fresh one.
   */
  render(document: InvoiceDocument, logo: Logo | null): Promise<Buffer>;
  /** Lets running jobs end (each within its deadline), refuses waiting ones, and leaves no process behind. */
  close(): Promise<void>;
}

/** A renderer over Chromium; nothing is started yet. */
export function createPdfRenderer(options: PdfRendererOptions, log: Logger): PdfRenderer {
  return new ChromiumRenderer(options, log);
}

interface Slot {
  tab: InvoiceTab | null;
}

class ChromiumRenderer implements PdfRenderer {
  private readonly deadlineMs: number;
  private readonly rendersPerTab: number;
  private readonly browsers: BrowserRotation;
  private readonly slots: Slots<Slot>;

  constructor(
    options: PdfRendererOptions,
    private readonly log: Logger,
  ) {
    this.deadlineMs = options.deadlineMs ?? 15_000;
    this.rendersPerTab = options.rendersPerTab ?? 500;
    this.browsers = new BrowserRotation(chromiumLauncher(options, log), options.rendersPerBrowser ?? 5_000, log);
    this.slots = new Slots(Array.from({ length: options.concurrency }, (): Slot => ({ tab: null })));
  }

  async warm(): Promise<void> {
    await this.inSlot((slot) => this.withBrowser(async (browser) => void (await this.tabOf(slot, browser))));
  }

  async render(document: InvoiceDocument, logo: Logo | null): Promise<Buffer> {
    return this.inSlot((slot) =>
      this.withBrowser(async (browser) => {
        const tab = await this.tabOf(slot, browser);
        try {
          return await this.print(tab, document, logo);
        } catch (error) {
          slot.tab = null;
          await tab.close();
          throw error;
        }
      }),
    );
  }

  async close(): Promise<void> {
    await this.slots.close(new RenderFailed('the PDF renderer is shutting down'));
    await this.browsers.close();
  }

  private async inSlot<T>(work: (slot: Slot) => Promise<T>): Promise<T> {
    const slot = await this.slots.take();
    try {
      return await work(slot);
    } finally {
      this.slots.giveBack(slot);
    }
  }

  /** Runs the work under the deadline. A browser that does not keep it is killed, which ends the work with an error. */
  private async withBrowser<T>(work: (browser: Chromium) => Promise<T>): Promise<T> {
    const browser = await this.browsers.take();
    const deadline = setTimeout(() => {
      this.log.error({ deadlineMs: this.deadlineMs }, 'Chromium did not print in time and is killed');
      browser.kill();
    }, this.deadlineMs);
    try {
      return await work(browser);
    } catch (error) {
      throw new RenderFailed('the PDF could not be printed', error);
    } finally {
      clearTimeout(deadline);
      await this.browsers.giveBack(browser);
    }
  }

  private async tabOf(slot: Slot, browser: Chromium): Promise<InvoiceTab> {
    if (slot.tab?.browser === browser && slot.tab.usable(this.rendersPerTab)) return slot.tab;
    const worn = slot.tab;
    slot.tab = null;
    if (worn?.browser === browser) await worn.close();
    slot.tab = await InvoiceTab.open(browser);
    return slot.tab;
  }

  private async print(tab: InvoiceTab, document: InvoiceDocument, logo: Logo | null): Promise<Buffer> {
    try {
      return await tab.print(invoicePage(document, logo));
    } catch (error) {
      if (!(error instanceof UnreadableImage)) throw error;
      this.log.warn({ logoKey: document.logoKey }, 'the logo is not an image that can be printed');
      return tab.print(invoicePage(document, null));
    }
  }
}
