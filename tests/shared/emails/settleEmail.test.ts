import { settleEmail, type SettleOutcome } from '../../../shared/emails';
import { Invoice } from '../../../shared/models';
import { Email } from '../../support/models';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
});

/** An e-mail whose attempt was interrupted, and its job. */
async function uncertain(changes: Parameters<Effects['invoice']>[0] = {}) {
  const subject = await effects.invoice(changes);
  const { as, invoice, companyId } = subject;
  const jobId = jobIdOf(await as.post(`/api/invoices/${invoice.id}/send-email`).set('Prefer', 'respond-async'));
  const attemptedAt = new Date('2026-03-01T10:00:00Z');
  const [{ id: emailId }] = (await effects.emails(invoice.id)) as [Email];
  await Email.update({ status: 'sending', attemptedAt }, { where: { companyId, id: emailId } });
  const job = await effects.job(jobId);
  await job.update({ attempt: 41, maxAttempt: 41, status: 'running', leaseUntil: new Date(0) });
  await effects.run(jobId);
  expect(await effects.job(jobId)).toMatchObject({ status: 'uncertain' });
  expect(await effects.emails(invoice.id)).toMatchObject([{ status: 'uncertain' }]);
  return { ...subject, jobId, emailId, attemptedAt };
}

const settle = ({ companyId }: Subject, emailId: number, outcome: SettleOutcome) =>
  effects.services.perform({ companyId, actor: 'cli' }, (uow) => settleEmail(uow, emailId, outcome));

test('sent › the draft becomes sent, the e-mail and its job are as if the provider had confirmed it', async () => {
  const subject = await uncertain();
  const { invoice, jobId, emailId, attemptedAt, companyId, as } = subject;
  expect(await settle(subject, emailId, 'sent')).toEqual({
    ...{ id: emailId, companyId, invoiceId: invoice.id, jobId, status: 'sent' },
  });
  expect((await as.get(`/api/invoices/${invoice.id}`).expect(200)).body).toMatchObject({ status: 'sent' });
  expect(await effects.emails(invoice.id)).toMatchObject([{ status: 'sent', sentAt: attemptedAt }]);
  expect(await effects.job(jobId)).toMatchObject({ status: 'done', lastError: null, errorCode: null });
  expect(await effects.eventsOf(invoice.id, 'email.sent')).toEqual([
    { emailId, to: subject.clientEmail, providerMessageId: null },
  ]);
  expect(await effects.eventsOf(invoice.id, 'invoice.sent')).toHaveLength(1);
  await expect(settle(subject, emailId, 'not_sent')).rejects.toMatchObject({
    code: 'email_not_uncertain',
    status: 409,
  });
});

test('not sent › e-mail and job have failed, and the draft stays', async () => {
  const subject = await uncertain();
  const { invoice, jobId, emailId } = subject;
  expect(await settle(subject, emailId, 'not_sent')).toMatchObject({ jobId, status: 'failed' });
  expect(await effects.emails(invoice.id)).toMatchObject([{ status: 'failed', sentAt: null }]);
  expect(await effects.job(jobId)).toMatchObject({ status: 'failed', errorCode: 'email_unavailable' });
  const error = { code: 'email_unavailable', message: 'the message was not sent, as was found out later' };
  expect(await effects.eventsOf(invoice.id, 'email.failed')).toEqual([{ emailId, to: subject.clientEmail, error }]);
  expect(await Invoice.findOne({ where: { id: invoice.id } })).toMatchObject({ status: 'draft' });
});

test('an invoice that was deleted meanwhile › stays as it is', async () => {
  const subject = await uncertain();
  await subject.as.delete(`/api/invoices/${subject.invoice.id}`).expect(200);
  expect(await settle(subject, subject.emailId, 'sent')).toMatchObject({ status: 'sent' });
  expect(await Invoice.findOne({ where: { id: subject.invoice.id } })).toMatchObject({ status: 'draft' });
});

test('what is not uncertain, absent, or another company’s › is refused', async () => {
  const [one, other] = [await uncertain(), await effects.invoice()];
  await expect(settle(other, one.emailId, 'sent')).rejects.toMatchObject({ code: 'not_found' });
  await expect(settle(one, 999_999, 'sent')).rejects.toMatchObject({ code: 'not_found' });
  await Email.update({ status: 'queued' }, { where: { id: one.emailId } });
  await expect(settle(one, one.emailId, 'sent')).rejects.toMatchObject({ code: 'email_not_uncertain' });
});
