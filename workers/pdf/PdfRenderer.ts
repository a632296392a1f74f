import { readFonts } from '../../shared/document/fontCatalog';
import type { InvoiceDocument } from '../../shared/document/InvoiceDocument';
import { invoicePage, type Logo } from '../../shared/document/invoiceHtml';
import { RenderCutOff, RenderFailed } from '../../shared/errors';
import type { Logger } from '../../shared/log';
import { chromiumLauncher, type LauncherOptions } from './chromiumLauncher';
import { Slots } from '../../shared/Slots';
import { PrintSlot, type SlotLimits } from './PrintSlot';

/** Limits of a renderer; the browser's own options are in {@link LauncherOptions}. */
export interface PdfRendererOptions extends LauncherOptions, Partial<SlotLimits> {
  /** PDFs that are printed at the same time, each in a browser of its own; more wait. About one a core. */
  concurrency: number;
}

/** Prints invoices in browsers that are started on first use, kept warm, watched and replaced. */
export interface PdfRenderer {
  /**
   * Starts the browsers now, so that the first PDFs do not wait for them.
   * @throws {RenderFailed} whose cause says why there is no browser.
   */
  warm(): Promise<void>;
  /**
   * Prints one invoice; a null or unreadable logo leaves the company's name in its place.
   * @throws {RenderCutOff} when it took longer than the deadline, or the browser crashed; the next call works on a fresh one.
   * @throws {RenderFailed} when the browser did not start.
   */
  render(document: InvoiceDocument, logo: Logo | null): Promise<Buffer>;
  /** Lets running jobs end (each within its deadline), refuses waiting ones, and leaves no process behind. */
  close(): Promise<void>;
}

/**
 * Every invoice that is accepted prints within 5 s on two idle cores; twice that allows for busy ones. With one retry, the
 * request that waits still learns of the failure.
 */
const defaults: SlotLimits = { deadlineMs: 10_000, rendersPerBrowser: 1_000 };

/** A renderer over Chromium; nothing is started yet. */
export function createPdfRenderer(options: PdfRendererOptions, log: Logger): PdfRenderer {
  return new ChromiumRenderer(options, log);
}

class ChromiumRenderer implements PdfRenderer {
  private readonly all: readonly PrintSlot[];
  private readonly slots: Slots<PrintSlot>;

  constructor(
    { concurrency, deadlineMs, rendersPerBrowser, ...launcher }: PdfRendererOptions,
    private readonly log: Logger,
  ) {
    const launch = chromiumLauncher(launcher, log);
    const limits = {
      deadlineMs: deadlineMs ?? defaults.deadlineMs,
      rendersPerBrowser: rendersPerBrowser ?? defaults.rendersPerBrowser,
    };
    this.all = Array.from({ length: concurrency }, () => new PrintSlot(launch, limits));
    this.slots = new Slots(this.all);
  }

  async warm(): Promise<void> {
    const slots = await Promise.all(this.all.map(() => this.slots.take()));
    try {
      await Promise.all([readFonts(), ...slots.map((slot) => slot.prepare())]);
    } finally {
      for (const slot of slots) this.slots.giveBack(slot);
    }
  }

  async render(document: InvoiceDocument, logo: Logo | null): Promise<Buffer> {
    const slot = await this.slots.take();
    try {
      return await this.print(slot, document, logo);
    } catch (error) {
      if (error instanceof RenderCutOff) this.log.error({ err: error }, 'a render was cut off: its browser is killed');
      throw error;
    } finally {
      void this.refresh(slot);
    }
  }

  async close(): Promise<void> {
    await this.slots.close(new RenderFailed('the PDF renderer is shutting down'));
    await Promise.all(this.all.map((slot) => slot.dispose()));
  }

  private async print(slot: PrintSlot, document: InvoiceDocument, logo: Logo | null): Promise<Buffer> {
    const pdf = await slot.print(invoicePage(document, logo));
    if (pdf !== 'unreadable image') return pdf;
    this.log.warn({ logoKey: document.logoKey }, 'the logo is not an image that can be printed');
    const withoutLogo = await slot.print(invoicePage(document, null));
    if (withoutLogo === 'unreadable image') throw new RenderFailed('the PDF could not be printed');
    return withoutLogo;
  }

  /** Frees the slot, after its browser was replaced if need be: the next render goes to a slot that is ready. */
  private async refresh(slot: PrintSlot): Promise<void> {
    try {
      await slot.prepare();
    } catch (error) {
      this.log.error({ err: error }, 'a browser that prints PDFs did not start; the next PDF tries again');
    } finally {
      this.slots.giveBack(slot);
    }
  }
}
