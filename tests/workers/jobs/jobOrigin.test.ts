import { expirePaymentLinks } from '../../../shared/paymentLinks';
import { listJobs } from '../../../shared/engine/jobs/listJobs';
import { recordJob } from '../../../shared/engine/jobs/recordJob';
import { retryJob } from '../../../shared/engine/jobs/retryJob';
import { Conflict, EmailRefused } from '../../../shared/engine/errors';
import { registry } from '../../../workers/registry';
import { collectLines } from '../../support/logLines';
import { Effects, jobIdOf } from '../../support/workers';

const { log, lines } = collectLines();
let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start({}, log);
});

test('the id of a request › is on its job and on the jobs that follow, for operators; the company does not see it', async () => {
  const { as, invoice, companyId } = await effects.invoice();
  const sending = as.post(`/api/invoices/${invoice.id}/send-email`).set('X-Request-Id', 'order-7');
  const jobId = jobIdOf(await sending.set('Prefer', 'respond-async').expect(202));
  jest.spyOn(registry.sendInvoiceEmail, 'run').mockImplementation(async (run) => {
    await run.perform((uow) => recordJob(uow, expirePaymentLinks, { invoiceId: invoice.id }));
    return run.finish(() => Promise.resolve({ emailId: 'x' }));
  });
  await effects.run(jobId);
  const jobs = await listJobs(effects.services.sql, { companyId }, { limit: 10 });
  expect(jobs.map(({ name, requestId }) => [name, requestId])).toEqual([
    ['expirePaymentLinks', 'order-7'],
    ['sendInvoiceEmail', 'order-7'],
  ]);
  const { text } = await as.get(`/api/jobs/${jobId}`).expect(200);
  expect(text).not.toContain('order-7');
});

test('a job that no request has recorded › has no id of a request, and neither do its lines', async () => {
  const { invoice, companyId } = await effects.invoice();
  const job = await effects.services.perform({ companyId, actor: 'test' }, (uow) =>
    recordJob(uow, expirePaymentLinks, { invoiceId: invoice.id }),
  );
  jest.spyOn(registry.expirePaymentLinks, 'run').mockRejectedValue(new Error('it broke'));
  await effects.run(job.id);
  const [line] = lines.filter(({ jobId, msg }) => jobId === job.id && msg === 'a job failed for good');
  expect(line).toMatchObject({ job: 'expirePaymentLinks', companyId, attempt: 1, err: { message: 'it broke' } });
  expect(line).not.toHaveProperty('requestId');
});

test('a job that fails by what its company asked for › has a short line, which calls an operator only for a refusal of a provider', async () => {
  const lineOf = async (error: Error) => {
    const { invoice, companyId } = await effects.invoice();
    const job = await effects.services.perform({ companyId, actor: 'test' }, (uow) =>
      recordJob(uow, expirePaymentLinks, { invoiceId: invoice.id }),
    );
    jest.spyOn(registry.expirePaymentLinks, 'run').mockRejectedValue(error);
    await effects.run(job.id);
    return lines.find(({ jobId, msg }) => jobId === job.id && msg === 'a job failed for good');
  };
  expect(await lineOf(new Conflict('invoice_cancelled', 'the invoice is cancelled'))).toMatchObject({
    level: 30,
    err: { type: 'Conflict', message: 'the invoice is cancelled', code: 'invoice_cancelled' },
  });
  const refused = await lineOf(new EmailRefused('550 unknown', new Error('550')));
  expect(refused).toMatchObject({ level: 50, err: { type: 'EmailRefused', message: '550 unknown' } });
  expect(refused?.['err']).not.toHaveProperty('stack');
  expect(refused?.['err']).not.toHaveProperty('cause');
  const broken = await lineOf(new Error('it broke'));
  expect(broken).toMatchObject({ level: 50, err: { stack: expect.any(String) as string } });
});

test('a failed job that is retried › has the id of the request that retries it, or keeps its own', async () => {
  const { as, invoice, companyId } = await effects.invoice();
  const sending = as.post(`/api/invoices/${invoice.id}/send-email`).set('X-Request-Id', 'first');
  const jobId = jobIdOf(await sending.set('Prefer', 'respond-async').expect(202));
  jest.spyOn(registry.sendInvoiceEmail, 'run').mockRejectedValue(new Error('it broke'));
  const { services } = effects;
  const retriedBy = async (scope: { requestId?: string }): Promise<string | null> => {
    await effects.run(jobId);
    await services.perform({ companyId, actor: 'test', ...scope }, (uow) =>
      retryJob(uow, services.jobContracts, jobId),
    );
    return (await effects.job(jobId)).requestId;
  };
  expect([await retriedBy({}), await retriedBy({ requestId: 'second' })]).toEqual(['first', 'second']);
  expect(lines.filter((line) => line['jobId'] === jobId).map(({ requestId }) => requestId)).toEqual(['first', 'first']);
});
