import type { Installation } from '../installation/startInstallation';

/** More PDFs a second than any machine prints. */
const mostPerSecond = 400;

/** Invoices whose PDFs were not requested yet. */
export class FreshInvoices {
  private next = 0;
  private edition = 0;

  constructor(private readonly installation: Pick<Installation, 'seeded' | 'services'>) {}

  /** Returns enough invoices for a measurement. Call {@link used} afterwards. */
  async forSeconds(seconds: number): Promise<number[]> {
    const { invoiceIds } = this.installation.seeded;
    if (invoiceIds.length - this.next < mostPerSecond * seconds) await this.renew();
    return invoiceIds.slice(this.next);
  }

  /** Returns the next `count` invoices, whose PDFs the caller requests. */
  async take(count: number): Promise<number[]> {
    const taken = (await this.forSeconds(Math.ceil(count / mostPerSecond))).slice(0, count);
    this.used(count);
    return taken;
  }

  used(count: number): void {
    this.next += count;
  }

  /** Changes every invoice, so that every stored PDF is stale. */
  private async renew(): Promise<void> {
    const { services, seeded } = this.installation;
    this.edition += 1;
    await services.sql.run(
      'UPDATE invoices SET notes = ?, updatedAt = updatedAt + INTERVAL 1 SECOND WHERE companyId = ? AND id <= ?',
      [`Edition ${this.edition}. Thank you for your business.`, seeded.companyId, seeded.invoiceIds.length],
    );
    this.next = 0;
  }
}
