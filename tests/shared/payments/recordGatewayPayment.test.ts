import { findLocked } from '../../../shared/invoices';
import { recordGatewayPayment } from '../../../shared/payments';
import { Payment, PaymentLink } from '../../../shared/models';
import { Effects } from '../../support/workers';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
});

const half = {
  ...{ amount: '110.00', currency: 'IDR', method: null, paidAt: new Date('2026-01-20T10:00:00Z') },
  ...{ refundedAmount: null, disputedAt: null },
};

/** An invoice of 220.00 with a link, and a function that reports a payment of half of it. */
async function linked() {
  const { companyId, invoice, as } = await effects.invoice({ currency: 'IDR' });
  const created = as.post(`/api/invoices/${invoice.id}/create-gateway-invoice`).set('Prefer', 'respond-async');
  await created.expect(202);
  await effects.runEverything(companyId);
  const [link] = await effects.links(invoice.id);
  if (link === undefined) throw new Error('there is no link');
  const report = (gatewayId: string) =>
    effects.services.perform({ companyId, actor: 'test' }, async (uow) => {
      const found = await PaymentLink.findOne({ where: { companyId, id: link.id }, rejectOnEmpty: true });
      const locked = await findLocked(uow, invoice.id);
      if (locked === null) throw new Error('there is no invoice');
      await recordGatewayPayment(uow, locked, found, { ...half, gatewayId });
    });
  return { companyId, invoice, report };
}

test('a payment that is reported many times, also at the same time › is recorded once, and settles once', async () => {
  const { companyId, invoice, report } = await linked();
  await Promise.all(Array.from({ length: 8 }, () => report('paid-1')));
  await report('paid-1');
  expect(await effects.payments(invoice.id)).toMatchObject([{ gatewayId: 'paid-1' }]);
  expect(await effects.eventsOf(invoice.id, 'payment.received')).toHaveLength(1);
  await report('paid-2');
  expect(await effects.payments(invoice.id)).toHaveLength(2);
  expect(await Payment.count({ where: { companyId } })).toBe(2);
});

test('several payments at the same time › are counted one after the other, and what exceeds the total is flagged', async () => {
  const { invoice, report } = await linked();
  await Promise.all(Array.from({ length: 6 }, (_, n) => report(`other-${n}`)));
  const flags = (await effects.payments(invoice.id)).map((payment) => payment.flags);
  expect(flags.filter((one) => one === '[]')).toHaveLength(2);
  expect(flags.filter((one) => one === '["excess"]')).toHaveLength(4);
});
