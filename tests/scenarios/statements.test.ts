import { randomUUID } from 'node:crypto';
import { numberEvents } from '../../shared/engine/events/numberEvents';
import { createCategory, createInvoice, expenseInput, invoiceInput } from '../support/factories';
import { inRounds } from '../support/rounds';
import { Statements } from '../support/statements';
import { Effects, jobIdOf, type Subject } from '../support/workers';

/**
 * What each hot path costs: a statement is a round trip, a commit a write that MySQL flushes to its disk. One that costs more has to be
 * worth it; the clean-up, the schedules and what a process reads once and keeps are not counted.
 */
const costs: Readonly<Record<string, { statements: number; commits: number }>> = {
  'an invoice': { statements: 1, commits: 0 },
  'a list of invoices': { statements: 1, commits: 0 },
  'a new invoice': { statements: 8, commits: 1 },
  'a new invoice under an Idempotency-Key': { statements: 10, commits: 2 },
  'a credit note': { statements: 14, commits: 1 },
  'a new expense': { statements: 5, commits: 1 },
  'a PDF that is stored': { statements: 1, commits: 0 },
  'the request of an e-mail': { statements: 7, commits: 1 },
  'the first e-mail of a draft': { statements: 17, commits: 3 },
  'a further e-mail': { statements: 14, commits: 3 },
  'eight first e-mails in rounds': { statements: 33, commits: 3 },
  'eight further e-mails in rounds': { statements: 16, commits: 3 },
  'the callback of a payment': { statements: 4, commits: 1 },
  'a payment': { statements: 15, commits: 2 },
  'the page of an invoice': { statements: 1, commits: 0 },
  'the numbers of new events': { statements: 5, commits: 1 },
};

/** What is sent again after a time, so that a slow machine sends more of it. */
const repeated = [
  // A request that waits for a job reads whether it has ended, once or twice.
  'SELECT id, status, result, lastError FROM jobs',
  // A key is read every three seconds, and its use is noted every minute.
  'SELECT tokenHash',
  'UPDATE api_keys',
  // The paused queues are read every two seconds.
  'SELECT queue, pausedAt FROM queue_pauses',
  // The clock of MySQL is read every 15 seconds.
  'SELECT CAST(UNIX_TIMESTAMP(NOW(6)) AS CHAR) AS now',
  // The claim of an Idempotency-Key is renewed every three seconds.
  'UPDATE `idempotency_keys` SET `claimedUntil`=? WHERE',
];
const dependsOnTime = (statement: string): boolean => repeated.some((start) => statement.startsWith(start));
/** Also a single statement that changes rows commits. */
const commits = (statements: readonly string[]): number => {
  let isWithin = false;
  return statements.filter((statement) => {
    if (statement === 'START TRANSACTION') isWithin = true;
    if (statement === 'COMMIT') isWithin = false;
    return statement === 'COMMIT' || (!isWithin && /^(INSERT|UPDATE|DELETE)/.test(statement));
  }).length;
};

let effects: Effects;
let statements: Statements;
let subject: Subject;
let categoryId: number;
/** An invoice that can be credited. */
let sent: number;
const work: Record<string, () => Promise<unknown>> = {
  'an invoice': () => subject.as.get(`/api/invoices/${subject.invoice.id}`).expect(200),
  'a list of invoices': () => subject.as.get('/api/invoices').expect(200),
  'a new invoice': () => subject.as.post('/api/invoices').send(invoiceInput(subject.clientId)).expect(201),
  'a new invoice under an Idempotency-Key': () =>
    subject.as
      .post('/api/invoices')
      .set('Idempotency-Key', randomUUID())
      .send(invoiceInput(subject.clientId))
      .expect(201),
  'a credit note': () =>
    subject.as
      .post(`/api/invoices/${sent}/credit-notes`)
      .send({ reason: 'Returned', items: [{ description: 'A part', amount: '0.01' }] })
      .expect(201),
  'a new expense': () => subject.as.post('/api/expenses').send(expenseInput(categoryId)).expect(201),
  'a PDF that is stored': () => subject.as.get(`/api/invoices/${subject.invoice.id}/pdf`).expect(200),
};

beforeAll(async () => {
  effects = await Effects.start({ PUBLIC_URL: 'https://billing.example.com' });
  await effects.startPool(['pdf']);
  statements = new Statements(effects.services);
  subject = await effects.invoice();
  ({ id: categoryId } = await createCategory(effects.services, subject.companyId));
  const input = { ...invoiceInput(subject.clientId), status: 'sent' };
  ({ id: sent } = (await subject.as.post('/api/invoices').send(input).expect(201)).body as { id: number });
});

function expectCost(name: string, sent: readonly string[]): void {
  const counted = sent.filter((statement) => !dependsOnTime(statement));
  // The statements themselves are shown where they are others than expected.
  expect({ sent: counted, statements: counted.length, commits: commits(counted) }).toEqual({
    sent: counted,
    ...costs[name],
  });
}

test.each(Object.keys(work))('%s › costs no more', async (name) => {
  // What is read once and kept is read now.
  await work[name]?.();
  expectCost(name, await statements.of(async () => work[name]?.()));
});

test('e-mails › cost no more', async () => {
  await effects.printForEmail(subject);
  for (const name of ['the first e-mail of a draft', 'a further e-mail']) {
    const path = `/api/invoices/${subject.invoice.id}/send-email`;
    let jobId = 0;
    const requested = await statements.of(async () => {
      jobId = jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202));
    });
    expectCost('the request of an e-mail', requested);
    expectCost(name, await statements.of(() => effects.run(jobId)));
  }
});

test('e-mails that meet in rounds › cost no more', async () => {
  const { services, tools } = effects;
  const drafts = [];
  while (drafts.length < 8) {
    const invoice = await createInvoice(services, subject.companyId, { clientId: subject.clientId });
    await effects.printForEmail({ ...subject, invoice });
    drafts.push(invoice);
  }
  // With its request and the numbers of the events, each costs: (8 × 7 + 33 + 5) / 8, less than 12; (8 × 7 + 16 + 5) / 8, less than 10.
  for (const name of ['eight first e-mails in rounds', 'eight further e-mails in rounds']) {
    const jobs: number[] = [];
    for (const { id } of drafts) {
      const path = `/api/invoices/${id}/send-email`;
      jobs.push(jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202)));
    }
    const together = inRounds(tools, { count: drafts.length });
    expectCost(name, await statements.of(() => Promise.all(jobs.map((jobId) => effects.run(jobId, together)))));
    const sent = await services.performForInstallation('sequencer', numberEvents);
    expect(sent?.isFull).toBe(false);
  }
});

test('a payment › costs no more', async () => {
  await effects.gatewayFault({ callbacks: false });
  const { invoice, as, companyId } = await effects.invoice();
  const path = `/api/invoices/${invoice.id}/create-gateway-invoice`;
  await effects.runToEnd(jobIdOf(await as.post(path).set('Prefer', 'respond-async').expect(202)));
  const [linkId = ''] = await effects.payable(invoice.id);
  const page = new URL(
    ((await as.get(`/api/invoices/${invoice.id}/hosted-page`).expect(200)).body as { url: string }).url,
  );
  expectCost('the page of an invoice', await statements.of(() => as.get(page.pathname).expect(200)));
  await effects.pay(linkId);
  const token = effects.farSides.env['XENDIT_CALLBACK_TOKEN'] ?? '';
  const callback = as.post('/webhooks/gateway/xendit').set('x-callback-token', token);
  const paid = effects.sandbox.links.get(linkId) ?? {};
  expectCost('the callback of a payment', await statements.of(() => callback.send(paid).expect(200)));
  const [sync] = await effects.jobs(companyId, 'syncPaymentLink');
  expectCost('a payment', await statements.of(() => effects.run(sync?.id ?? 0)));
  expect(((await as.get(`/api/invoices/${invoice.id}`)).body as { status: string }).status).toBe('paid');
});

test('the numbers of events › cost the same for one as for many', async () => {
  for (const invoices of [1, 5]) {
    for (let n = 0; n < invoices; n++) await work['a new invoice']?.();
    const sent = await statements.of(() => effects.services.performForInstallation('sequencer', numberEvents));
    expectCost('the numbers of new events', sent);
  }
});
