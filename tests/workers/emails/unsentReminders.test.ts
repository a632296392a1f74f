import { reminderCalendar } from '../../../shared/reminders';
import { updateCompany } from '../../../shared/companies';
import { createClient, createInvoice } from '../../support/factories';
import { inRounds } from '../../support/rounds';
import { Effects, type Subject } from '../../support/workers';

const dueDate = '2027-01-20';
let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
  await effects.startPool(['pdf']);
});

/** A reminder that was requested, and is not sent yet. Resolves with its job. */
async function requested({ companyId, invoice }: Subject, asOf = dueDate): Promise<number> {
  const { services } = effects;
  await services.perform({ companyId, actor: 'test' }, (uow) => updateCompany(uow, { reminderDays: [0, 1] }));
  const skipped: (string | null)[] = [];
  const observer = {
    created: () => undefined,
    overdue: () => undefined,
    reminded: (_company: number, _invoice: number, reason: string | null) => void skipped.push(reason),
    failed: (_subject: unknown, error: unknown) => {
      throw error;
    },
  };
  const serve = reminderCalendar.serve({ services, asOf, wait: true, observer }, companyId);
  while ((await serve()) === 'more');
  expect(new Set(skipped)).toEqual(new Set([null]));
  const [job] = await services.sql.rows<{ id: number }>(
    "SELECT id FROM jobs WHERE companyId = ? AND queue = 'email' ORDER BY id DESC LIMIT 1",
    [companyId],
  );
  if (job === undefined) throw new Error(`invoice ${invoice.id} has no reminder`);
  return job.id;
}

const open = () => effects.invoice({ status: 'sent', issueDate: '2027-01-01', dueDate });

describe('a reminder that is no longer due when it would be sent', () => {
  const changes: Record<string, (subject: Subject) => Promise<unknown>> = {
    nothing_due: ({ as, invoice }) =>
      as.post(`/api/invoices/${invoice.id}/payments`).send({ amount: invoice.total, paidAt: '2026-11-01' }).expect(201),
    invoice_not_open: ({ as, invoice }) =>
      as.put(`/api/invoices/${invoice.id}`).send({ status: 'cancelled' }).expect(200),
    due_date_moved: ({ as, invoice }) =>
      as.put(`/api/invoices/${invoice.id}`).send({ dueDate: '2027-02-20' }).expect(200),
    later_reminder: async (subject) => void (await requested(subject, '2027-01-21')),
    reminders_off: ({ as, clientId }) => as.put(`/api/clients/${clientId}`).send({ reminders: false }).expect(200),
  };
  test.each(Object.entries(changes))('%s › is not sent, and the timeline says why', async (reason, change) => {
    const subject = await open();
    const jobId = await requested(subject);
    await change(subject);
    await effects.printForEmail(subject);
    const job = await effects.runToEnd(jobId);
    expect(job).toMatchObject({ status: 'failed' });
    expect(await effects.messagesTo(subject.clientEmail)).toEqual([]);
    const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}/timeline?limit=100`).expect(200);
    const { data } = body as { data: { type: string; data: { reason?: string } }[] };
    expect(data.filter(({ type }) => type === 'reminder.skipped').map((event) => event.data.reason)).toEqual([reason]);
    const { body: emails } = await subject.as.get(`/api/invoices/${subject.invoice.id}/emails`).expect(200);
    const [first] = (emails as { data: object[] }).data.slice(-1);
    expect(first).toMatchObject({ kind: 'reminder', status: 'failed', error: { code: 'reminder_not_due' } });
  });

  test('one that is still due › is sent', async () => {
    const subject = await open();
    const jobId = await requested(subject);
    await effects.printForEmail(subject);
    expect(await effects.runToEnd(jobId)).toMatchObject({ status: 'done' });
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
  });
});

test('reminders that meet in a round › each is sent and recorded, and one that is not due any more is not', async () => {
  const first = await open();
  const { services } = effects;
  const subjects = [first];
  while (subjects.length < 3) {
    const { companyId } = first;
    const client = await createClient(services, companyId);
    const changes = { clientId: client.id, status: 'sent', issueDate: '2027-01-01', dueDate } as const;
    const invoice = await createInvoice(services, companyId, changes);
    subjects.push({ ...first, invoice, clientEmail: client.email ?? '' });
  }
  const [paid = first, ...due] = subjects;
  await requested(first);
  await first.as
    .post(`/api/invoices/${paid.invoice.id}/payments`)
    .send({ amount: paid.invoice.total, paidAt: '2026-11-01' })
    .expect(201);
  for (const subject of subjects) await effects.printForEmail(subject);
  const jobs = await effects.jobs(first.companyId, 'sendInvoiceEmail');
  const tools = inRounds(effects.tools, { count: 3 }, { count: 2 });
  await Promise.all(jobs.map(({ id }) => effects.run(id, tools)));
  expect(await effects.messagesTo(paid.clientEmail)).toEqual([]);
  expect(await effects.eventsOf(paid.invoice.id, 'reminder.skipped')).toMatchObject([{ reason: 'nothing_due' }]);
  for (const { invoice, clientEmail } of due) {
    const [email] = await effects.emails(invoice.id);
    expect(await effects.eventsOf(invoice.id, 'reminder.sent')).toEqual([
      { emailId: email?.id, to: clientEmail, dueDate, relativeDay: 0 },
    ]);
    expect(await effects.messagesTo(clientEmail)).toHaveLength(1);
  }
});
