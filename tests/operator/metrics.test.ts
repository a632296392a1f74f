import { createCompany, createInvoice } from '../support/factories';
import { startOperator, type TestOperator } from '../support/operator';
import { startApi, type TestApi } from '../support/server';

/** The contract: dashboards and alerts outside of this project use these names and labels. */
const contract: Record<string, { type: string; labels: string[] }> = {
  invoicing_up: { type: 'gauge', labels: ['service'] },
  invoicing_queue_jobs: { type: 'gauge', labels: ['queue', 'state'] },
  invoicing_queue_oldest_seconds: { type: 'gauge', labels: ['queue'] },
  invoicing_queue_paused: { type: 'gauge', labels: ['queue'] },
  invoicing_job_start_latency_seconds: { type: 'histogram', labels: ['queue'] },
  invoicing_job_duration_seconds: { type: 'histogram', labels: ['job', 'outcome'] },
  invoicing_outbox_lag_seconds: { type: 'gauge', labels: [] },
  invoicing_scan_last_success_timestamp_seconds: { type: 'gauge', labels: ['scan'] },
  invoicing_http_request_duration_seconds: { type: 'histogram', labels: ['method', 'route', 'status'] },
  invoicing_pdf_render_seconds: { type: 'histogram', labels: [] },
  invoicing_chromium_restarts_total: { type: 'counter', labels: [] },
  invoicing_webhook_deliveries_total: { type: 'counter', labels: ['outcome'] },
  invoicing_limit_reached_total: { type: 'counter', labels: ['limit'] },
  invoicing_deprecated_requests_total: { type: 'counter', labels: ['operation'] },
  invoicing_database_pool: { type: 'gauge', labels: ['state'] },
  invoicing_replica_lag_seconds: { type: 'gauge', labels: [] },
  invoicing_replica_requests_total: { type: 'counter', labels: ['reader'] },
  invoicing_event_loop_lag_seconds: { type: 'gauge', labels: [] },
};

let api: TestApi;
let operator: TestOperator;
beforeAll(async () => {
  api = await startApi();
  operator = await startOperator();
});

describe('/metrics', () => {
  test('names and types › are those of the contract, with the usual ones of the process', async () => {
    const response = await operator.get('/metrics');
    expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const types = [...(await response.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]);
    const ours = types.filter(([name]) => name?.startsWith('invoicing_'));
    expect(Object.fromEntries(ours)).toEqual(
      Object.fromEntries(Object.entries(contract).map(([name, { type }]) => [name, type])),
    );
    const names = types.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['process_resident_memory_bytes', 'process_start_time_seconds', 'nodejs_version_info']),
    );
  });

  test('requests › are measured under the template of their route, never under their path', async () => {
    const { token, companyId } = await createCompany(api.services);
    const { id } = await createInvoice(api.services, companyId);
    const as = api.as(token);
    const before = await operator.samples();
    await as.get(`/api/invoices/${id}`).expect(200);
    await as.get(`/api/invoices/${id}`).expect(200);
    await as.get('/api/invoices/999999').expect(404);
    await as.get('/api/secret-word').expect(404);
    await as.patch(`/api/invoices/${id}`).expect(405);
    await as.post('/api/expenses').send({}).expect(400);
    await api.as().get('/healthz').expect(200);
    await api.as().post('/webhooks/gateway/xendit').send({}).expect(401);
    await api.as('wrong').get(`/api/invoices/${id}`).expect(401);

    const samples = await operator.samples();
    const count = (labels: string): number => {
      const key = `invoicing_http_request_duration_seconds_count{${labels}}`;
      return (samples.get(key) ?? 0) - (before.get(key) ?? 0);
    };
    expect(count('method="GET",route="/api/invoices/{id}",status="200"')).toBe(2);
    expect(count('method="GET",route="/api/invoices/{id}",status="404"')).toBe(1);
    expect(count('method="GET",route="none",status="404"')).toBe(1);
    expect(count('method="PATCH",route="none",status="405"')).toBe(1);
    expect(count('method="POST",route="/api/expenses",status="400"')).toBe(1);
    expect(count('method="GET",route="/healthz",status="200"')).toBe(1);
    expect(count('method="POST",route="/webhooks/gateway/{provider}",status="401"')).toBe(1);
    expect(count('method="GET",route="none",status="401"')).toBe(1);
    expect([...samples.keys()].join('\n')).not.toContain('secret-word');
  });

  test('labels › are those of the contract', async () => {
    const samples = [...(await operator.samples()).keys()].filter((key) => key.startsWith('invoicing_'));
    for (const sample of samples) {
      const [, name = '', text = ''] = /^(\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})?$/.exec(sample) ?? [];
      const labels = [...text.matchAll(/(\w+)="/g)].map(([, label]) => label).filter((label) => label !== 'le');
      expect([name, labels.sort()]).toEqual([name, contract[name]?.labels]);
    }
  });

  test('the connection pool › is reported by state', async () => {
    const held = await api.services.sequelize.transaction();
    const { databasePoolSize } = operator.services.config;
    const own = await operator.services.sequelize.transaction();
    const samples = await operator.samples();
    await Promise.all([held.commit(), own.commit()]);
    expect(samples.get('invoicing_database_pool{state="used"}')).toBe(1);
    expect(samples.get('invoicing_database_pool{state="free"}')).toBe(databasePoolSize - 1);
    expect(samples.get('invoicing_database_pool{state="waiting"}')).toBe(0);
  });

  test('a blocked event loop › is reported', async () => {
    await operator.samples();
    for (const end = performance.now() + 300; performance.now() < end;);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await operator.samples()).get('invoicing_event_loop_lag_seconds')).toBeGreaterThan(0.2);
  });
});
