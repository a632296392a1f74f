import { createApiKey } from '../../shared/apiKeys';
import { requestInvoiceEmail } from '../../shared/emails';
import { createInvoice } from '../../shared/invoices';
import { median } from '../../dev/measuring/median';
import { sentInvoices } from '../rows/sendEmail';
import { connections, type Bench } from '../rows/Row';
import type { Figure } from './Figure';

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

interface SentEmail {
  /** From the request to its response. */
  totalMs: number;
  /** From the job's record to its start. */
  waitedMs: number;
  /** Jobs of other companies that started in between. */
  startedBefore: number;
}

/** A company that sends one e-mail at a time. */
async function otherCompany({ installation }: Bench): Promise<{ send(): Promise<SentEmail> }> {
  const { services, apiUrl, seeded } = installation;
  const { companyId, clientId } = seeded.other;
  const scope = { companyId, actor: 'bench' };
  const items = [{ description: 'Work', quantity: '1', unitPrice: '100' }];
  const invoice = { clientId, items, issueDate: '2026-01-15', dueDate: '2026-02-14' };
  const { id } = await services.perform(scope, (uow) => createInvoice(uow, invoice));
  const { token } = await services.perform(scope, (uow) => createApiKey(uow, { name: 'bench' }));
  return {
    send: async () => {
      const began = performance.now();
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`${apiUrl}/api/invoices/${id}/send-email`, { method: 'POST', headers });
      if (response.status !== 200) throw new Error(`send-email: ${response.status} ${await response.text()}`);
      const totalMs = performance.now() - began;
      const [job] = await services.sql.rows<{ waitedMs: number; startedBefore: number }>(
        `SELECT TIMESTAMPDIFF(MICROSECOND, j.createdAt, j.startedAt) / 1000 AS waitedMs,
            (SELECT COUNT(*) FROM jobs a
              WHERE a.companyId <> j.companyId AND a.startedAt > j.createdAt AND a.startedAt < j.startedAt) AS startedBefore
           FROM jobs j WHERE j.companyId = ? ORDER BY j.id DESC LIMIT 1`,
        [companyId],
      );
      if (job === undefined) throw new Error('the job is not recorded');
      return { totalMs, waitedMs: Number(job.waitedMs), startedBefore: Number(job.startedBefore) };
    },
  };
}

async function recordEmails({ installation }: Bench, invoiceIds: readonly number[], count: number): Promise<void> {
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
