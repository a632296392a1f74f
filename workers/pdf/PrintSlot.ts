import type { InvoicePage } from '../../shared/document/invoiceHtml';
import { RenderCutOff, RenderFailed } from '../../shared/errors';
import type { Chromium } from './Chromium';
import { InvoiceTab } from './InvoiceTab';

/** Bounds of one slot. */
export interface SlotLimits {
  /** Milliseconds for one PDF. A browser that takes longer is killed. */
  readonly deadlineMs: number;
  /** PDFs of one page after which a browser is replaced, since what it holds in memory grows. Long ones count as several. */
  readonly rendersPerBrowser: number;
}

/** Milliseconds for a browser to open its page. */
const openingMs = 15_000;

/**
 * One place that prints: a browser of its own, with one page that is kept warm. A slot prints one page at a time. What is
 * killed here disturbs no other slot.
 */
export class PrintSlot {
  private tab: InvoiceTab | null = null;

  constructor(
    private readonly launch: () => Promise<Chromium>,
    private readonly limits: SlotLimits,
  ) {}

  /**
   * Makes the slot ready to print: starts a browser where there is none, or where the last one died or is used up.
   * @throws {RenderFailed} whose cause says why there is no browser.
   */
  async prepare(): Promise<InvoiceTab> {
    if (this.tab?.usable(this.limits.rendersPerBrowser)) return this.tab;
    await this.dispose();
    try {
      const browser = await this.launch();
      try {
        this.tab = await orKill(browser, openingMs, () => InvoiceTab.open(browser));
      } catch (error) {
        await browser.dispose();
        throw error;
      }
      return this.tab;
    } catch (error) {
      throw new RenderFailed('the browser that prints PDFs did not start', error);
    }
  }

  /**
   * Prints one page, unless its image cannot be decoded. After an error the slot has no browser until {@link prepare}.
   * @throws {RenderCutOff} when the deadline passed or the browser crashed; else {@link RenderFailed}.
   */
  async print(page: InvoicePage): Promise<Buffer | 'unreadable image'> {
    const tab = await this.prepare();
    try {
      return await orKill(tab.browser, this.limits.deadlineMs, () => tab.print(page));
    } catch (error) {
      const crashed = !tab.browser.alive;
      await this.dispose();
      if (error instanceof RenderCutOff) throw error;
      if (crashed) throw new RenderCutOff('the browser crashed while it printed', error);
      throw new RenderFailed('the PDF could not be printed', error);
    }
  }

  /** Kills the browser and removes what it left on the disk. */
  async dispose(): Promise<void> {
    const browser = this.tab?.browser;
    this.tab = null;
    await browser?.dispose();
  }
}

/**
 * Runs the work; a browser that does not end it within `ms` is killed, which ends the work with an error.
 * @throws {RenderCutOff} in that case.
 */
async function orKill<T>(browser: Chromium, ms: number, work: () => Promise<T>): Promise<T> {
  let late = false;
  const deadline = setTimeout(() => {
    late = true;
    browser.kill();
  }, ms);
  try {
    return await work();
  } catch (error) {
    throw late ? new RenderCutOff(`the browser was not done within ${ms} ms`, error) : error;
  } finally {
    clearTimeout(deadline);
  }
}
