import { metricsText } from '../../../shared/engine/metrics/metrics';
import { runScan } from '../../../workers/schedules/runScan';
import { samplesOf } from '../../support/operator';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
  await effects.startPool(['pdf']);
});

const sample = async (key: string): Promise<number | undefined> => samplesOf(await metricsText()).get(key);
const runsOf = (job: string, outcome: string) =>
  sample(`invoicing_job_duration_seconds_count{job="${job}",outcome="${outcome}"}`).then((count) => count ?? 0);

async function requestEmail(): Promise<Subject & { jobId: number }> {
  const subject = await effects.invoice();
  await effects.printForEmail(subject);
  const path = `/api/invoices/${subject.invoice.id}/send-email`;
  const jobId = jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202));
  return { ...subject, jobId };
}

describe('the metrics of jobs', () => {
  test('a job that starts ten minutes late, and is done › its start latency and its run are counted', async () => {
    const { jobId } = await requestEmail();
    const startedWithin = (seconds: number) =>
      sample(`invoicing_job_start_latency_seconds_bucket{le="${seconds}",queue="email"}`).then((count) => count ?? 0);
    const [done, soon, late] = [
      await runsOf('sendInvoiceEmail', 'done'),
      await startedWithin(300),
      await startedWithin(900),
    ];
    effects.clock.moveOn(600_000);
    await effects.runToEnd(jobId);
    expect(await runsOf('sendInvoiceEmail', 'done')).toBe(done + 1);
    expect(await startedWithin(300)).toBe(soon);
    expect(await startedWithin(900)).toBe(late + 1);
  });

  test('runs that end otherwise › are counted by their outcome', async () => {
    const [retries, failures] = [
      await runsOf('sendInvoiceEmail', 'retried'),
      await runsOf('sendInvoiceEmail', 'failed'),
    ];
    const retried = await requestEmail();
    await effects.mailFault({ mode: 'refuse', stage: 'mail', times: 1 });
    await effects.run(retried.jobId);
    expect(await runsOf('sendInvoiceEmail', 'retried')).toBe(retries + 1);

    const failed = await requestEmail();
    await failed.as.delete(`/api/invoices/${failed.invoice.id}`).expect(200);
    await effects.run(failed.jobId);
    expect(await runsOf('sendInvoiceEmail', 'failed')).toBe(failures + 1);
  });

  test('a render › its wait, its run and the print are counted', async () => {
    const { as, invoice } = await effects.invoice();
    const printed = (await sample('invoicing_pdf_render_seconds_count')) ?? 0;
    const before = await runsOf('renderInvoicePdf', 'done');
    await as.get(`/api/invoices/${invoice.id}/pdf`).expect(200);
    expect(await sample('invoicing_pdf_render_seconds_count')).toBe(printed + 1);
    expect(await sample('invoicing_job_start_latency_seconds_count{queue="pdf"}')).toBeGreaterThan(0);
    expect(await runsOf('renderInvoicePdf', 'done')).toBeGreaterThanOrEqual(before);
  });

  test('a scan › its last success is the time of the scan, and a scan that fails leaves it', async () => {
    const last = () => sample('invoicing_scan_last_success_timestamp_seconds{scan="calendar"}');
    await runScan(effects.services, new AbortController().signal);
    const first = await last();
    expect(first).toBeCloseTo(effects.clock.now().getTime() / 1000, -1);
    effects.clock.moveOn(60_000);
    const rows = () => Promise.reject(new Error('broken'));
    const broken = { ...effects.services, sql: { ...effects.services.sql, rows } };
    await runScan(broken, new AbortController().signal);
    expect(await last()).toBe(first);
  });
});
