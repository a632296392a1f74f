import { createCompany } from '../../shared/companies';
import type { Services } from '../../shared/services';

/** Adds e-mail jobs by SQL alone: finished ones, one a second until now, and ones that have been due for a minute. */
export async function seedJobs(
  services: Services,
  { done, waiting }: { done: number; waiting: number },
): Promise<void> {
  const company = await services.performForInstallation('bench', (work) => createCompany(work, { name: 'Busy' }));
  const batch = 100_000;
  for (let from = 0; from < done; from += batch) await add(services, company.id, 'done', from, batch);
  await add(services, company.id, 'pending', 60, waiting);
  await services.sequelize.query('ANALYZE TABLE jobs');
}

async function add(services: Services, companyId: number, status: string, from: number, count: number): Promise<void> {
  await services.sql.run(
    `INSERT INTO jobs (companyId, name, queue, payload, status, maxAttempt, availableAt, relayAt, createdAt, updatedAt)
       WITH RECURSIVE hundred (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM hundred WHERE n < 99),
         numbers (n) AS (SELECT (a.n * 100 + b.n) * 100 + c.n FROM hundred a CROSS JOIN hundred b CROSS JOIN hundred c)
       SELECT ?, 'sendInvoiceEmail', 'email', '{"invoiceId":1,"emailId":1}', ?, 41, at, at, at, at
         FROM (SELECT UTC_TIMESTAMP(3) - INTERVAL ? + n SECOND AS at FROM numbers WHERE n < ?) times`,
    [companyId, status, from, count],
  );
}
