import { createApiKey } from '../../shared/apiKeys';
import { createInvoice } from '../../shared/invoices';
import type { Bench } from '../rows/Row';

interface SentEmail {
  /** From the request to its response. */
  totalMs: number;
  /** From the job's record to its start. */
  waitedMs: number;
  /** Jobs of other companies that started in between. */
  startedBefore: number;
}

/** A company that sends one e-mail at a time. */
export async function otherCompany({ installation }: Bench): Promise<{ send(): Promise<SentEmail> }> {
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
