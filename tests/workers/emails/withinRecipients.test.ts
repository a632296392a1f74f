import { updateInvoice } from '../../../shared/invoices';
import { createClient, createCompany, createInvoice } from '../../support/factories';
import { eventually } from '../../support/eventually';
import { nothingIsDue, runAllSchedules } from '../../support/schedules';
import { Effects, jobIdOf } from '../../support/workers';

const DAY_MS = 86_400_000;
let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start({ EMAIL_RECIPIENTS_PER_DAY: '2' });
  await effects.startPool(['pdf']);
});

interface Tenant {
  companyId: number;
}
const recipientsKey = ({ companyId }: Tenant) => `${effects.services.config.redisPrefix}:recipients:${companyId}`;
const counted = async (company: Tenant): Promise<number> =>
  Number(await effects.services.queues.redis.get(recipientsKey(company)));

/** Adds monthly series with autoSend, each of a client of its own. Returns the addresses. */
async function series({ companyId }: Tenant, count: number): Promise<string[]> {
  const { services } = effects;
  const addresses = Array.from({ length: count }, (_, index) => `series-${companyId}-${index}@client.example`);
  for (const email of addresses) {
    const { id: clientId } = await createClient(services, companyId, { email });
    const dates = { issueDate: '2027-01-10', dueDate: '2027-01-24' };
    const { id } = await createInvoice(services, companyId, { clientId, ...dates, recurring: 'monthly' });
    await services.perform({ companyId, actor: 'test' }, (uow) => updateInvoice(uow, id, { autoSend: true }));
  }
  return addresses;
}

/** How many messages each address has got. */
const received = (addresses: readonly string[]): Promise<number[]> =>
  Promise.all(addresses.map(async (address) => (await effects.messagesTo(address)).length));
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

test('e-mails of the calendar beyond the recipients of 24 hours › wait without an attempt, and go once; another company goes on', async () => {
  const { services, clock } = effects;
  const [subject, other] = [await effects.invoice(), await effects.invoice()];
  const [addresses, others] = [await series(subject, 4), await series(other, 1)];
  await runAllSchedules(services, { asOf: '2027-02-10' });
  const { stop } = await effects.startPool(['email']);
  await services.outbox.relayDue();
  await eventually(async () => {
    const jobs = await effects.jobs(subject.companyId, 'sendInvoiceEmail');
    const hasEnded = jobs.every(({ status, errorCode }) => status === 'done' || errorCode === 'rate_limited');
    return hasEnded && sum(await received(others)) === 1;
  });
  expect(sum(await received(addresses))).toBe(2);
  expect(await counted(subject)).toBe(2);

  const waiting = (await effects.jobs(subject.companyId)).filter(({ status }) => status === 'pending');
  const now = clock.now().getTime();
  for (const { id, attempt, uncounted, availableAt } of waiting) {
    expect(attempt - uncounted).toBe(0);
    expect(availableAt.getTime() - now).toBeGreaterThan(DAY_MS - 120_000);
    expect(availableAt.getTime() - now).toBeLessThan(DAY_MS + 3_600_000);
    const [email] = await services.sql.rows<{ invoiceId: number }>('SELECT invoiceId FROM emails WHERE jobId = ?', [
      id,
    ]);
    const { body } = await subject.as.get(`/api/invoices/${email?.invoiceId}/emails`).expect(200);
    expect(body).toMatchObject({ data: [{ status: 'queued', error: { code: 'rate_limited' } }] });
    const events = await services.sql.rows<{ type: string }>(
      "SELECT type FROM events WHERE companyId = ? AND subjectId = ? AND type LIKE 'email.%'",
      [subject.companyId, email?.invoiceId ?? 0],
    );
    expect(events).toEqual([{ type: 'email.requested' }]);
  }
  await subject.as.post(`/api/invoices/${subject.invoice.id}/send-email`).expect(429);

  clock.moveOn(DAY_MS + 3_600_000);
  await services.queues.redis.del(recipientsKey(subject));
  await services.outbox.relayDue();
  await eventually(async () => (await effects.jobs(subject.companyId)).every(({ status }) => status === 'done'));
  expect(await received(addresses)).toEqual([1, 1, 1, 1]);
  expect(await counted(subject)).toBe(2);
  await stop();
});

test('an e-mail of a request › is counted with the request alone', async () => {
  const subject = await effects.invoice();
  const sending = subject.as.post(`/api/invoices/${subject.invoice.id}/send-email`).set('Prefer', 'respond-async');
  const jobId = jobIdOf(await sending.expect(202));
  await effects.printForEmail(subject);
  expect(await effects.runToEnd(jobId)).toMatchObject({ status: 'done' });
  expect(await counted(subject)).toBe(1);
});

test('an e-mail of a sandbox whose days a request runs › is counted with the request alone', async () => {
  const { token, ...company } = await createCompany(effects.services, { isSandbox: true });
  await series(company, 1);
  await effects.api.as(token).post('/api/schedules/run').send({ asOf: '2027-02-10' }).expect(200);
  expect(await counted(company)).toBe(1);
  await effects.runEverything(company.companyId);
  expect((await effects.jobs(company.companyId)).map(({ status }) => status)).toEqual(['done']);
  expect(await counted(company)).toBe(1);
});

test('an e-mail of the calendar that is refused for now and then accepted › counts once', async () => {
  await nothingIsDue(effects.services);
  const subject = await effects.invoice();
  const addresses = await series(subject, 1);
  await runAllSchedules(effects.services, { asOf: '2027-02-10' });
  const [job] = await effects.jobs(subject.companyId, 'sendInvoiceEmail');
  await effects.mailFault({ mode: 'refuse', stage: 'reply', code: 451 });
  const ended = await effects.runToEnd(job?.id ?? 0);
  expect(ended.attempt - ended.uncounted).toBe(2);
  expect(await received(addresses)).toEqual([1]);
  expect(await counted(subject)).toBe(1);
});
