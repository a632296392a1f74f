import type { InvoicePage } from '../../shared/documents';
import { RenderCutOff, RenderFailed } from '../../shared/engine/errors';
import { metrics } from '../../shared/engine/metrics';
import type { Chromium } from './Chromium';
import { InvoiceTab } from './InvoiceTab';

/** Limits of one slot. */
export interface SlotLimits {
  /** Milliseconds for one PDF. A browser that takes longer is killed. */
  readonly deadlineMs: number;
  /** PDFs after which a browser is replaced, because its memory grows. */
  readonly rendersPerBrowser: number;
}

/** Milliseconds for a browser to open its page, on the busiest machine. */
const openingMs = 60_000;

/**
 * A browser with one page that is kept open. A slot prints one invoice at a time. Killing its browser does not affect other
 * slots.
 */
export class PrintSlot {
  private tab: InvoiceTab | null = null;
  private hadBrowser = false;

  constructor(
    private readonly launch: () => Promise<Chromium>,
    private readonly limits: SlotLimits,
  ) {}

  /**
   * Makes the slot ready to print: starts a browser if there is none, or if the last one crashed or is used up.
   * @throws {RenderFailed} when the browser does not start; its cause says why.
   */
  async prepare(): Promise<InvoiceTab> {
    if (this.tab?.usable(this.limits.rendersPerBrowser)) return this.tab;
    await this.dispose();
    try {
      const browser = await this.launch();
      try {
        this.tab = await orKill(browser, openingMs, () => InvoiceTab.open(browser));
        if (this.hadBrowser) metrics.chromiumRestarts.add();
        this.hadBrowser = true;
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
   * Prints one invoice, unless its image cannot be decoded. After an error the slot has no browser until {@link prepare}.
   * @throws {RenderCutOff} when the deadline passed or the browser crashed; {@link RenderFailed} otherwise.
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

  /** Kills the browser and removes its profile. */
  async dispose(): Promise<void> {
    const browser = this.tab?.browser;
    this.tab = null;
    await browser?.dispose();
  }
}

/**
 * Runs the work. Kills the browser after `ms`, which ends the work with an error.
 * @throws {RenderCutOff} when the time is over; the errors of `work`.
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
    throw late ? new RenderCutOff(`the browser timed out after ${ms} ms`, error) : error;
  } finally {
    clearTimeout(deadline);
  }
}
