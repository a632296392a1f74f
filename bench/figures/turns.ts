import { requestInvoiceEmail } from '../../shared/emails';
import { median } from '../../dev/measuring/median';
import { sentInvoices } from '../rows/sendEmail';
import { connections, type Bench } from '../rows/Row';
import type { Figure } from './Figure';
import { otherCompany } from './otherCompany';

const requests = 10;

/** How long one e-mail of a company takes to start while another company has thousands waiting. */
export const turns: Figure = {
  name: 'turns',
  what: 'one e-mail beside thousands of waiting ones of another company',
  async measure(bench, quick) {
    const { services, pids, seeded } = bench.installation;
    const other = await otherCompany(bench);
    await other.send();
    const idle: number[] = [];
    for (let n = 0; n < requests; n++) idle.push((await other.send()).totalMs);
    const invoiceIds = await sentInvoices(bench);
    // A process that is stopped takes no job: the backlog is complete before the first one runs.
    process.kill(pids.worker, 'SIGSTOP');
    await recordEmails(bench, invoiceIds, quick ? 1_000 : 10_000);
    process.kill(pids.worker, 'SIGCONT');
    const before: number[] = [];
    const waits: number[] = [];
    for (let n = 0; n < requests; n++) {
      const sent = await other.send();
      before.push(sent.startedBefore);
      waits.push(sent.waitedMs);
    }
    const pending = [
      "UPDATE jobs SET status = 'failed' WHERE companyId = ? AND status = 'pending'",
      [seeded.companyId],
    ] as const;
    await services.sql.run(...pending);
    const { email: concurrency } = services.config.worker.concurrency;
    return [
      {
        what: 'jobs of the other company that start before it, at most',
        value: Math.max(...before),
        atMost: concurrency + 1,
      },
      {
        what: 'its wait until it starts, median, against its whole time when idle',
        value: median(waits) / median(idle),
        atMost: 3,
      },
    ];
  },
};

/** Requests `count` e-mails of the benchmark's company, of these invoices in rounds. */
export async function recordEmails(
  { installation }: Bench,
  invoiceIds: readonly number[],
  count: number,
): Promise<void> {
  const { services, seeded } = installation;
  let recorded = 0;
  const record = async (): Promise<void> => {
    while (recorded < count) {
      const invoiceId = invoiceIds[recorded++ % invoiceIds.length] ?? 0;
      await services.perform({ companyId: seeded.companyId, actor: 'bench' }, (uow) =>
        requestInvoiceEmail(uow, invoiceId),
      );
    }
  };
  await Promise.all(Array.from({ length: connections }, record));
}
