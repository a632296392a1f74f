import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { freePort } from '../../dev/servers/freePort';
import { eventually } from '../support/eventually';
import { createClient, createCompany, createInvoice } from '../support/factories';
import { installation } from '../support/installation';
import { operatorToken } from '../support/operator';
import { startWorkerProcess } from '../support/processes';
import { startPrometheus } from '../support/prometheus';
import { startApi } from '../support/server';
import { jobIdOf } from '../support/workers';

test('a mail server that refuses connections › the retries of e-mails raise an alert, although no job is overdue', async () => {
  const env = await installation();
  const port = await freePort();
  await startWorkerProcess({
    ...env,
    ...{ WORKER_QUEUES: 'email,pdf', SMTP_URL: 'smtp://127.0.0.1:1', CHROME_ALLOW_NO_SANDBOX: 'true' },
    ...{ OPERATOR_PORT: String(port), OPERATOR_TOKEN: operatorToken },
  });
  const rules = join(env['FILES_DIR'] ?? '', 'alerts.yml');
  const shorter = readFileSync(join(projectRoot, 'ops/alerts.yml'), 'utf8').replace(
    /(?<before>alert: InvoicingJobsRetried\n[^]*?for: )1m/,
    '$<before>1s',
  );
  writeFileSync(rules, shorter);
  const { seriesOf } = await startPrometheus([`127.0.0.1:${port}`], rules);
  await eventually(async () => (await seriesOf('up{job="invoicing"} == 1')).length === 1);
  expect(await seriesOf('ALERTS{alertstate="firing"}')).toEqual([]);

  const api = await startApi();
  const { companyId, token } = await createCompany(api.services);
  const client = await createClient(api.services, companyId);
  const as = api.as(token);
  const send = async (): Promise<number> => {
    const { id } = await createInvoice(api.services, companyId, { clientId: client.id });
    return jobIdOf(await as.post(`/api/invoices/${id}/send-email`).set('Prefer', 'respond-async').expect(202));
  };
  const first = await send();
  // Prometheus sees what a counter grows by since its first sample.
  await eventually(
    async () => (await seriesOf('invoicing_job_duration_seconds_count{outcome="retried"} > 0')).length > 0,
  );
  await Promise.all([send(), send()]);
  const firing = await eventually(async () => {
    const alerts = await seriesOf<{ metric: Record<string, string> }>('ALERTS{alertstate="firing"}');
    return alerts.length > 0 ? alerts : null;
  });
  expect(firing.map(({ metric }) => metric)).toMatchObject([
    { alertname: 'InvoicingJobsRetried', exported_job: 'sendInvoiceEmail', severity: 'ticket' },
  ]);
  // Between two attempts.
  const job = await eventually(async () => {
    const { body } = await as.get(`/api/jobs/${first}`).expect(200);
    return (body as { status: string }).status === 'pending' ? (body as object) : null;
  });
  expect(job).toMatchObject({ status: 'pending', error: { code: 'email_unavailable' } });
});
