import { setImmediate } from 'node:timers/promises';
import { type InvoiceDocument, invoiceBody, invoicePage, type InvoicePage, type Logo } from '../../shared/documents';
import { RenderCutOff, RenderFailed } from '../../shared/engine/errors';
import { traced } from '../../shared/engine/trace';
import type { Logger } from '../../shared/engine/log';
import { metrics } from '../../shared/engine/metrics';
import { chromiumLauncher, type LauncherOptions } from './chromiumLauncher';
import { SlotPool } from '../../shared/engine/fair';
import { PrintSlot, type SlotLimits } from './PrintSlot';

/** Limits of a renderer; the browser's own options are in {@link LauncherOptions}. */
export interface PdfRendererOptions extends LauncherOptions, Partial<SlotLimits> {
  /** PDFs that are printed at the same time, each in its own browser; about one for each core. */
  concurrency: number;
}

export interface PrintOptions {
  isLong?: boolean;
  onEnd?: (tookMs: number) => void;
}

/** Prints invoices in browsers that are started on first use, kept warm, watched and replaced. */
export interface PdfRenderer {
  /**
   * Starts the browsers now, so that the first PDFs do not wait for them.
   * @throws {RenderFailed} when a browser does not start; its cause says why.
   */
  warm(): Promise<void>;
  /**
   * Prints one invoice. Shows the company's name in place of a null or unreadable logo. A print that `isLong` lets others of the machine go
   * first. `onEnd` is called, also after an error, with the milliseconds for which the print held its browser, from when that had started.
   * @throws {RenderCutOff} when the deadline passed or the browser crashed; the next call uses a new browser.
   * @throws {RenderFailed} when the browser did not start.
   */
  render(document: InvoiceDocument, logo: Logo | null, how?: PrintOptions): Promise<Buffer>;
  /** Waits for running prints (each within its deadline), refuses waiting ones, and ends all browsers. */
  close(): Promise<void>;
}

/**
 * The largest invoices print in about 1 s on two cores, and in 5 to 7 s with 20,000 different Chinese characters. The deadline
 * allows for a busy machine, and is short enough that a waiting request still gets the failure after one retry.
 */
const DEADLINE_MS = 10_000;
const RENDERS_PER_BROWSER = 1_000;

/**
 * The first slot prints nothing long, unless it is the only one. The browsers of the others get two thirds of its processor time. With a
 * third, the largest invoice is cut off on two processors that four other processes use.
 */
const LONG_IS_NICER_BY = 2;

/** Creates a renderer over Chromium. Starts nothing yet. */
export function createPdfRenderer(options: PdfRendererOptions, log: Logger): PdfRenderer {
  return new ChromiumRenderer(options, log);
}

class ChromiumRenderer implements PdfRenderer {
  private readonly all: readonly PrintSlot[];
  private readonly slots: SlotPool<PrintSlot>;

  constructor(
    { concurrency, deadlineMs = DEADLINE_MS, rendersPerBrowser = RENDERS_PER_BROWSER, ...launcher }: PdfRendererOptions,
    private readonly log: Logger,
  ) {
    const launch = chromiumLauncher(launcher, log);
    const limits = { deadlineMs, rendersPerBrowser };
    this.all = Array.from(
      { length: concurrency },
      (_, slot) => new PrintSlot(() => launch(slot > 0 ? LONG_IS_NICER_BY : 0), limits),
    );
    this.slots = new SlotPool(this.all);
  }

  async warm(): Promise<void> {
    const slots = await Promise.all(this.all.map(() => this.slots.take()));
    try {
      await Promise.all(slots.map((slot) => slot.prepare()));
    } finally {
      for (const slot of slots) this.slots.giveBack(slot);
    }
  }

  async render(
    document: InvoiceDocument,
    logo: Logo | null,
    { isLong = false, onEnd }: PrintOptions = {},
  ): Promise<Buffer> {
    const slot = await this.slots.take((one) => !isLong || one !== this.all[0] || this.all.length === 1);
    let started = Infinity;
    try {
      await slot.prepare();
      started = performance.now();
      return await traced('print PDF', { kind: 'internal' }, () => this.print(slot, document, logo));
    } catch (error) {
      if (error instanceof RenderCutOff) this.log.error({ err: error }, 'a render was cut off: its browser is killed');
      throw error;
    } finally {
      const tookMs = Math.max(0, performance.now() - started);
      if (started < Infinity) metrics.pdfRender.observe(tookMs / 1000);
      onEnd?.(tookMs);
      void this.refresh(slot);
    }
  }

  async close(): Promise<void> {
    await this.slots.close(new RenderFailed('the PDF renderer is shutting down'));
    await Promise.all(this.all.map((slot) => slot.dispose()));
  }

  private async print(slot: PrintSlot, document: InvoiceDocument, logo: Logo | null): Promise<Buffer> {
    const pdf = await slot.print(await pageOf(document, logo));
    if (pdf !== 'unreadable image') return pdf;
    this.log.warn({ logoKey: document.logoKey }, 'the logo is not an image that can be printed');
    const withoutLogo = await slot.print(await pageOf(document, null));
    if (withoutLogo === 'unreadable image') throw new RenderFailed('the PDF could not be printed');
    return withoutLogo;
  }

  /** Replaces the slot's browser if needed, then frees the slot, so that the next render gets a ready slot. */
  private async refresh(slot: PrintSlot): Promise<void> {
    try {
      await slot.prepare();
    } catch (error) {
      this.log.error({ err: error }, 'a browser that prints PDFs did not start; the next PDF retries it');
    } finally {
      this.slots.giveBack(slot);
    }
  }
}

/** Other work of the process runs between the parts: of the largest invoices each takes 20 to 60 ms. */
async function pageOf(document: InvoiceDocument, logo: Logo | null): Promise<InvoicePage> {
  const html = invoiceBody(document, logo !== null);
  await setImmediate();
  const page = invoicePage(document, logo, html);
  await setImmediate();
  return page;
}
