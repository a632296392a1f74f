import { Invoice, PaymentLink } from '../../../shared/models';
import { Event } from '../../support/models';
import type { UnitOfWork } from '../../../shared/engine/db/unitOfWork';
import { deleteInvoice } from '../../../shared/invoices/updateInvoice';
import type { InvoiceChanges } from '../../../shared/invoices/record';
import { updateInvoice } from '../../../shared/invoices/updateInvoice';
import { jobContracts } from '../../../shared/jobContracts';
import { retryJob } from '../../../shared/engine/jobs/retryJob';
import { Gateways, type Gateway } from '../../../workers/gateways';
import { eventually } from '../../support/eventually';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
});
beforeEach(() => effects.gatewayFault({ reset: true }));

const change = <T>({ companyId }: Subject, work: (uow: UnitOfWork) => Promise<T>): Promise<T> =>
  effects.services.perform({ companyId, actor: 'test' }, work);
const update = (subject: Subject, changes: InvoiceChanges) =>
  change(subject, (uow) => updateInvoice(uow, subject.invoice.id, changes));
const oneItem = (unitPrice: string) => ({ items: [{ description: 'Work', quantity: 1, unitPrice }] });
const invoiceNow = ({ invoice }: Subject) => Invoice.findOne({ where: { id: invoice.id }, rejectOnEmpty: true });
const errorOf = (text: string | null) => JSON.parse(text ?? '') as unknown;

async function request({ as, invoice }: Subject, body: object = {}): Promise<number> {
  const path = `/api/invoices/${invoice.id}/create-gateway-invoice`;
  return jobIdOf(await as.post(path).set('Prefer', 'respond-async').send(body).expect(202));
}

/** Requests the link; nothing of it is done until the test runs the job. */
async function requested(changes: Parameters<Effects['invoice']>[0] = {}) {
  const subject = await effects.invoice(changes);
  return { ...subject, jobId: await request(subject) };
}

/** The tools of a run, with the gateway's responses held up or followed by something. */
function gatewayWith(overrides: Partial<Gateway>): { gateways: Gateways } {
  const gateway = theGateway();
  return {
    gateways: new Gateways([
      {
        provider: gateway.provider,
        unknownForMs: gateway.unknownForMs,
        findOrCreateLink: (...given) => gateway.findOrCreateLink(...given),
        linksOf: (...given) => gateway.linksOf(...given),
        expireLink: (...given) => gateway.expireLink(...given),
        ...overrides,
      },
    ]),
  };
}

const theGateway = (): Gateway => effects.tools.gateways.of('xendit');

/** A call that was given up is carried out only now. */
const createLate = (reference = ''): Promise<unknown> =>
  theGateway().findOrCreateLink(
    {
      reference,
      createdAt: new Date(),
      amount: '220.00',
      currency: 'IDR',
      description: 'late',
      payerEmail: null,
      durationSeconds: 3600,
    },
    { calledBefore: false },
  );

/** Whatever was left for later is done, and then at most so many links can be paid. */
async function expectPayable(subject: Subject, count: number): Promise<void> {
  await effects.runEverything(subject.companyId);
  expect(await effects.payable(subject.invoice.id)).toHaveLength(count);
}

describe('a payment link', () => {
  test('is made for the total, kept on the invoice, and a draft becomes sent', async () => {
    const subject = await requested({ currency: 'IDR', ...oneItem('1000.50'), taxRate: 0, invoiceNumber: 'LINK-1' });
    const job = await effects.runToEnd(subject.jobId);
    expect(job.status).toBe('done');
    const [made] = await effects.atGateway(subject.invoice.id);
    expect(made).toMatchObject({
      amount: 1001,
      currency: 'IDR',
      payer_email: subject.clientEmail,
      description: 'Invoice LINK-1',
    });
    const [link] = await effects.links(subject.invoice.id);
    expect(link).toMatchObject({ status: 'active', total: '1000.50', amount: '1001.00', gatewayId: made?.id });
    expect(JSON.parse(job.result ?? '')).toEqual({ paymentLinkId: link?.id, url: made?.invoice_url });
    const invoice = await invoiceNow(subject);
    expect(invoice).toMatchObject({
      status: 'sent',
      gatewayInvoiceId: made?.id,
      gatewayInvoiceUrl: made?.invoice_url,
    });
    expect(invoice.frozenParties).not.toBeNull();
    const events = await Event.findAll({ where: { companyId: subject.companyId, subjectType: 'invoice' } });
    expect(events.map(({ type }) => type)).toContain('invoice.payment_link.created');
  });

  test('whose invoice then asks for less is expired', async () => {
    const subject = await requested();
    await effects.runToEnd(subject.jobId);
    await update(subject, oneItem('70.00'));
    await expectPayable(subject, 0);
  });

  test('that is outdated before its job ends is no result for a request that shares the job', async () => {
    const subject = await requested();
    await effects.runToEnd(subject.jobId);
    const jobId = await request(subject, { regenerate: true });
    const shared: number[] = [];
    const whileTheOldOneEnds = gatewayWith({
      expireLink: async (...given) => {
        if (shared.length === 0) {
          await update(subject, oneItem('70.00'));
          shared.push(await request(subject));
        }
        return theGateway().expireLink(...given);
      },
    });
    expect(await effects.run(jobId, whileTheOldOneEnds)).toEqual({ done: true });
    expect(shared).toEqual([jobId]);
    const { result } = await effects.job(jobId);
    const last = (await effects.links(subject.invoice.id)).at(-1);
    expect(last).toMatchObject({ total: '77.00', status: 'active' });
    expect(JSON.parse(result ?? '')).toEqual({ paymentLinkId: last?.id, url: last?.url });
    await expectPayable(subject, 1);
  });

  test('leaves an overdue invoice overdue', async () => {
    const subject = await requested({ status: 'overdue' });
    expect((await effects.runToEnd(subject.jobId)).status).toBe('done');
    expect((await invoiceNow(subject)).status).toBe('overdue');
  });

  test('keeps the cents of a currency that has them', async () => {
    const subject = await requested({ currency: 'USD', ...oneItem('0.40'), taxRate: 0 });
    await effects.runToEnd(subject.jobId);
    expect(await effects.atGateway(subject.invoice.id)).toMatchObject([{ amount: 0.4, currency: 'USD' }]);
  });

  test('is made once when the queue delivers its entry twice, one after the other and at the same time', async () => {
    const subject = await requested();
    const outcomes = await Promise.all([1, 2, 3].map(() => effects.run(subject.jobId)));
    expect(outcomes.filter((outcome) => 'done' in outcome)).toHaveLength(1);
    expect(await effects.run(subject.jobId)).toEqual({ done: true });
    expect(effects.sandbox.faults.calls.create).toBe(1);
  });

  test('of another total replaces the one before it, which is expired', async () => {
    const subject = await requested();
    await effects.runToEnd(subject.jobId);
    await update(subject, oneItem('70.00'));
    await effects.runToEnd(await request(subject));
    expect(await effects.atGateway(subject.invoice.id)).toMatchObject([
      { status: 'EXPIRED', amount: 220 },
      { status: 'PENDING', amount: 77 },
    ]);
    expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'expired' }, { status: 'active' }]);
  });

  test('that is regenerated replaces the usable one', async () => {
    const subject = await requested();
    await effects.runToEnd(subject.jobId);
    const [first] = await effects.payable(subject.invoice.id);
    await effects.runToEnd(await request(subject, { regenerate: true }));
    const payable = await effects.payable(subject.invoice.id);
    expect(payable).toHaveLength(1);
    expect(payable).not.toContain(first);
    expect((await invoiceNow(subject)).gatewayInvoiceId).toBe(payable[0]);
  });

  test('is not made for what was paid, cancelled or deleted since the request', async () => {
    for (const status of ['paid', 'cancelled'] as const) {
      const subject = await requested();
      await update(subject, { status });
      const job = await effects.runToEnd(subject.jobId);
      expect(job.status).toBe('failed');
      expect(errorOf(job.lastError)).toMatchObject({ status: 409, code: 'invoice_not_payable' });
    }
    const subject = await requested();
    await change(subject, (uow) => deleteInvoice(uow, subject.invoice.id));
    expect(errorOf((await effects.runToEnd(subject.jobId)).lastError)).toMatchObject({ status: 404 });
    expect(effects.sandbox.faults.calls.create).toBe(0);
  });

  test('is made for the total at the time of the call, not of the request', async () => {
    const subject = await requested();
    await update(subject, oneItem('70.00'));
    await effects.runToEnd(subject.jobId);
    expect(await effects.atGateway(subject.invoice.id)).toMatchObject([{ amount: 77 }]);
  });
});

describe('a gateway that fails', () => {
  test.each([
    ['fails before the work', { mode: 'fail', operation: 'create' }],
    ['fails after the work', { mode: 'fail', operation: 'create', work: true }],
    ['is busy (429)', { mode: 'fail', operation: 'create', status: 429 }],
    ['breaks off before the work', { mode: 'break', operation: 'create', work: false }],
    ['breaks off after the work', { mode: 'break', operation: 'create', work: true }],
    ['hangs before the work', { mode: 'hang', operation: 'create', work: false }],
    ['hangs after the work', { mode: 'hang', operation: 'create', work: true }],
    ['responds too late', { mode: 'late', operation: 'create', delayMs: 600 }],
    ['cannot list', { mode: 'fail', operation: 'list' }],
  ])('%s › the link is made by a later attempt, and one alone can be paid', async (_, fault) => {
    const subject = await requested();
    await effects.gatewayFault(fault);
    await effects.run(subject.jobId, effects.shortTimeouts());
    const job = await effects.runToEnd(subject.jobId);
    expect(job.status).toBe('done');
    const [payable] = await effects.payable(subject.invoice.id);
    expect((await invoiceNow(subject)).gatewayInvoiceId).toBe(payable);
    await expectPayable(subject, 1);
    expect(await effects.payable(subject.invoice.id)).toEqual([payable]);
  });

  test('asks for a pause (429) › the job is deferred for that long', async () => {
    const subject = await requested();
    await effects.gatewayFault({ mode: 'fail', operation: 'create', status: 429, retryAfterSeconds: 60 });
    const before = effects.clock.now().getTime();
    const outcome = await effects.run(subject.jobId);
    if (!('nextRunAt' in outcome)) throw new Error('it should be retried');
    expect(outcome.nextRunAt.getTime() - before).toBeGreaterThanOrEqual(60_000);
  });

  test('carries the call out after it timed out › the second link is found and ended', async () => {
    const subject = await requested();
    await effects.gatewayFault({ mode: 'hang', operation: 'create', work: false });
    expect(await effects.run(subject.jobId, effects.shortTimeouts())).toHaveProperty('nextRunAt');
    await effects.runToEnd(subject.jobId);
    const [link] = await effects.links(subject.invoice.id);
    await createLate(link?.reference);
    expect(await effects.payable(subject.invoice.id)).toHaveLength(2);
    await expectPayable(subject, 1);
    expect(await effects.payable(subject.invoice.id)).toEqual([(await invoiceNow(subject)).gatewayInvoiceId]);
  });

  test('does not respond on any attempt › the job fails with 504, and what it may have made is ended', async () => {
    const subject = await requested();
    await effects.gatewayFault({ mode: 'break', operation: 'create', work: true, times: 8 });
    await effects.gatewayFault({ mode: 'fail', operation: 'list', times: 7 });
    const job = await effects.runToEnd(subject.jobId);
    expect(job.status).toBe('failed');
    expect(errorOf(job.lastError)).toMatchObject({ status: 504, code: 'gateway_unavailable' });
    expect(await invoiceNow(subject)).toMatchObject({ status: 'draft', gatewayInvoiceId: null });
    expect(await effects.payable(subject.invoice.id)).toHaveLength(1);
    await effects.gatewayFault({ reset: true });
    await expectPayable(subject, 0);
    expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'expired' }]);
  });

  test('refuses for good › the job fails with 502 immediately, and no link is looked for', async () => {
    for (const status of [400, 401]) {
      const subject = await requested();
      await effects.gatewayFault({ mode: 'fail', operation: 'create', status });
      const job = await effects.runToEnd(subject.jobId);
      expect(job).toMatchObject({ status: 'failed', attempt: 1 });
      expect(errorOf(job.lastError)).toMatchObject({ status: 502, code: 'gateway_refused' });
      expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'failed' }]);
      expect(await effects.jobs(subject.companyId, 'syncPaymentLink')).toEqual([]);
      await effects.runToEnd(await request(subject));
      await expectPayable(subject, 1);
    }
  });

  test('refuses the second call after the first one was lost › what the first made is ended', async () => {
    const subject = await requested();
    await effects.gatewayFault({ mode: 'hang', operation: 'create', work: false });
    await effects.gatewayFault({ mode: 'fail', operation: 'create', status: 400 });
    await effects.run(subject.jobId, effects.shortTimeouts());
    expect((await effects.runToEnd(subject.jobId)).status).toBe('failed');
    const [link] = await effects.links(subject.invoice.id);
    await createLate(link?.reference);
    await expectPayable(subject, 0);
  });

  test('does not expire the link before › the new one is usable, and the old one is ended in the end', async () => {
    const subject = await requested();
    await effects.runToEnd(subject.jobId);
    const regenerate = await request(subject, { regenerate: true });
    await effects.gatewayFault({ mode: 'fail', operation: 'expire', times: 8 });
    expect((await effects.runToEnd(regenerate)).status).toBe('failed');
    expect(effects.sandbox.faults.calls.create).toBe(2);
    await expectPayable(subject, 1);
    expect(await effects.payable(subject.invoice.id)).toEqual([(await invoiceNow(subject)).gatewayInvoiceId]);
  });
});

describe('an invoice that changes while its link is made', () => {
  /** The gateway makes the link, and then, before its response comes, something happens. */
  const after = (happens: () => Promise<unknown>) => {
    const gateway = theGateway();
    let first = true;
    return gatewayWith({
      findOrCreateLink: async (...given) => {
        const link = await gateway.findOrCreateLink(...given);
        if (first) await happens();
        first = false;
        return link;
      },
    });
  };

  test('in its total › gets a link for the new one, and the other is ended', async () => {
    const subject = await requested();
    expect(
      await effects.run(
        subject.jobId,
        after(() => update(subject, oneItem('70.00'))),
      ),
    ).toEqual({ done: true });
    expect(await effects.atGateway(subject.invoice.id)).toMatchObject([
      { status: 'EXPIRED', amount: 220 },
      { status: 'PENDING', amount: 77 },
    ]);
  });

  test.each(['cancelled', 'paid'] as const)('and is %s › has no link that can be paid', async (status) => {
    const subject = await requested();
    await effects.run(
      subject.jobId,
      after(() => update(subject, { status })),
    );
    expect(errorOf((await effects.job(subject.jobId)).lastError)).toMatchObject({ code: 'invoice_not_payable' });
    await expectPayable(subject, 0);
    expect((await invoiceNow(subject)).status).toBe(status);
  });

  test('and is deleted › has no link that can be paid', async () => {
    const subject = await requested();
    await effects.run(
      subject.jobId,
      after(() => change(subject, (uow) => deleteInvoice(uow, subject.invoice.id))),
    );
    await expectPayable(subject, 0);
  });

  test('and is cancelled, while the worker dies before it records the link › has none that can be paid', async () => {
    const subject = await requested();
    const dies = after(async () => {
      await update(subject, { status: 'cancelled' });
      await effects.runEverythingBut(subject.companyId, subject.jobId);
      effects.clock.moveOn(60_000);
      await (await effects.job(subject.jobId)).update({ leaseUntil: new Date(0), attempt: 5 });
    });
    await effects.run(subject.jobId, dies);
    expect((await effects.job(subject.jobId)).status).toBe('running');
    expect(await effects.payable(subject.invoice.id)).toHaveLength(1);
    await expectPayable(subject, 0);
  });

  test('and is paid by the callback before the link is recorded › is paid, and the link too', async () => {
    const subject = await requested();
    const paid = after(async () => {
      const [link] = await effects.payable(subject.invoice.id);
      await effects.pay(link ?? '');
      await eventually(async () => (await effects.jobs(subject.companyId, 'syncPaymentLink')).length > 0);
      const [sync] = await effects.jobs(subject.companyId, 'syncPaymentLink');
      await effects.runToEnd(sync?.id ?? 0);
    });
    await effects.run(subject.jobId, paid);
    expect((await invoiceNow(subject)).status).toBe('paid');
    await effects.runEverything(subject.companyId);
    expect(await invoiceNow(subject)).toMatchObject({ status: 'paid', paidAt: expect.any(Date) as Date });
    expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'paid' }]);
    expect(effects.sandbox.faults.calls.create).toBe(1);
  });
});

describe('a link whose making was interrupted', () => {
  const comeBack: (() => Promise<unknown>)[] = [];
  afterEach(() => Promise.all(comeBack.splice(0).map((wake) => wake())));

  /** The first run gets this far and is not heard of until the test's end, when it finds that its lease is lost. */
  async function crashed(subject: Subject & { jobId: number }, where: 'before the call' | 'after the call') {
    const gateway = theGateway();
    let wake: (reason: Error) => void = () => undefined;
    const crash = new Promise<never>((_, reject) => (wake = reject));
    await new Promise<void>((resolve) => {
      const stops = gatewayWith({
        findOrCreateLink: async (...given) => {
          if (where === 'after the call') await gateway.findOrCreateLink(...given);
          resolve();
          return crash;
        },
      });
      const run = effects.run(subject.jobId, stops);
      comeBack.push(async () => {
        const before = await effects.job(subject.jobId);
        wake(new Error('the connection is gone'));
        expect(await run).toEqual({ done: true });
        expect((await effects.job(subject.jobId)).toJSON()).toEqual(before.toJSON());
      });
    });
    await (await effects.job(subject.jobId)).update({ leaseUntil: new Date(0) });
  }

  test('before the call is made by the next run', async () => {
    const subject = await requested();
    await crashed(subject, 'before the call');
    expect((await effects.runToEnd(subject.jobId)).status).toBe('done');
    expect(effects.sandbox.faults.calls.create).toBe(1);
    await expectPayable(subject, 1);
  });

  test('after the call is found by its reference, and not made again', async () => {
    const subject = await requested();
    await crashed(subject, 'after the call');
    expect((await effects.runToEnd(subject.jobId)).status).toBe('done');
    expect(effects.sandbox.faults.calls.create).toBe(1);
    await expectPayable(subject, 1);
  });

  test('on its last attempt is ended, and the next request makes another', async () => {
    const subject = await requested();
    await (await effects.job(subject.jobId)).update({ attempt: 7 });
    await crashed(subject, 'after the call');
    const job = await effects.runToEnd(subject.jobId);
    expect(job.status).toBe('failed');
    expect(errorOf(job.lastError)).toMatchObject({ code: 'job_crashed' });
    await effects.runToEnd(await request(subject));
    await expectPayable(subject, 1);
    expect(await effects.payable(subject.invoice.id)).toEqual([(await invoiceNow(subject)).gatewayInvoiceId]);
  });

  test('and failed, while a second request makes it: the later sync leaves that one alone', async () => {
    const subject = await requested();
    await effects.gatewayFault({ mode: 'hang', operation: 'create', work: false });
    await (await effects.job(subject.jobId)).update({ attempt: 7 });
    await effects.run(subject.jobId, effects.shortTimeouts());
    const [sync] = await effects.jobs(subject.companyId, 'syncPaymentLink');
    const second = await request(subject);
    const gateway = theGateway();
    effects.clock.moveOn(120_000);
    const syncMeanwhile = gatewayWith({
      findOrCreateLink: async (...given) => {
        const link = await gateway.findOrCreateLink(...given);
        await effects.runToEnd(sync?.id ?? 0);
        return link;
      },
    });
    expect(await effects.run(second, syncMeanwhile)).toEqual({ done: true });
    await expectPayable(subject, 1);
    expect(await effects.payable(subject.invoice.id)).toEqual([(await invoiceNow(subject)).gatewayInvoiceId]);
    expect(await PaymentLink.count({ where: { invoiceId: subject.invoice.id, status: 'active' } })).toBe(1);
  });

  test('and failed is made by a retry, which shares the job of a request at the same time', async () => {
    const subject = await requested();
    await effects.gatewayFault({ mode: 'fail', operation: 'create', status: 400 });
    await effects.runToEnd(subject.jobId);
    expect((await change(subject, (uow) => retryJob(uow, jobContracts, subject.jobId))).id).toBe(subject.jobId);
    expect(await request(subject)).toBe(subject.jobId);
    await effects.runToEnd(subject.jobId);
    await expectPayable(subject, 1);
    expect(effects.sandbox.faults.calls.create).toBe(2);
  });

  test('and failed › a retry beside a request that came first returns that one’s job', async () => {
    const subject = await requested();
    await effects.gatewayFault({ mode: 'fail', operation: 'create', status: 400 });
    await effects.runToEnd(subject.jobId);
    const second = await request(subject);
    expect(second).not.toBe(subject.jobId);
    expect((await change(subject, (uow) => retryJob(uow, jobContracts, subject.jobId))).id).toBe(second);
    expect((await effects.job(subject.jobId)).status).toBe('failed');
  });
});
