import { PaymentLink } from '../../database/models';
import type { GatewayCallback } from '../../gateways';
import { recordJob } from '../../outbox/recordJob';
import type { Services } from '../../services';

/**
 * Takes an authentic callback: records that the link's state has to be asked of the gateway, and no more, so that it can be
 * acknowledged fast. Safe to call any number of times and in any order; a callback about no link of ours is ignored.
 */
export async function receiveGatewayCallback(services: Services, callback: GatewayCallback): Promise<void> {
  const link = await PaymentLink.findOne({ where: { reference: callback.reference } });
  if (link === null) {
    services.log.warn({ gatewayId: callback.gatewayId }, 'a callback about no link of ours');
    return;
  }
  await services.perform({ companyId: link.companyId, actor: `gateway:${link.provider}` }, (uow) =>
    recordJob(uow, 'syncPaymentLink', { paymentLinkId: link.id }),
  );
}
