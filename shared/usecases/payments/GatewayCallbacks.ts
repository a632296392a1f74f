import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Payment, PaymentLink } from '../../database/models';
import type { GatewayCallback } from '../../gateways';
import { OccasionalWarning } from '../../OccasionalWarning';
import { recordJob } from '../../outbox/recordJob';
import type { Services } from '../../services';

/** How long after a look at the gateway the same callback leads to another one. */
const PAUSE_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Takes authentic callbacks. One that brings news records that the link's state has to be asked of the gateway, and no more,
 * so that it can be acknowledged fast. Safe to call any number of times and in any order.
 *
 * Repeats do not each become a call to the gateway. One that says what is recorded is acknowledged and forgotten. Any other
 * shares the job of the same callback while that has not ended, and is looked into a minute after it at the earliest: deferred,
 * never dropped, since the gateway may have been slow to show what it told. A callback that says something else has its own job
 * at once: the one in progress may have asked before it was so.
 */
export class GatewayCallbacks {
  /** When the same callback may be looked into again; of this process, so that several ask a little more often. */
  private readonly nextLook = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  private readonly unknown: OccasionalWarning;

  constructor(private readonly services: Services) {
    this.unknown = new OccasionalWarning(services.log, 'a callback about no link of ours');
  }

  async receive(callback: GatewayCallback): Promise<void> {
    const link = await PaymentLink.findOne({ where: { reference: callback.reference } });
    if (link === null) return this.unknown.note({ gatewayId: callback.gatewayId });
    if (await isRecorded(link, callback)) return;
    const content = contentOf(callback);
    const { companyId, id, provider } = link;
    const availableAt = await this.services.perform({ companyId, actor: `gateway:${provider}` }, async (uow) => {
      const at = new Date(Math.max(uow.now.getTime(), this.nextLook.get(content) ?? 0));
      const job = await recordJob(
        uow,
        'syncPaymentLink',
        { paymentLinkId: id, callback: content },
        { availableAt: at },
      );
      return job.availableAt;
    });
    this.nextLook.set(content, availableAt.getTime() + PAUSE_MS);
  }
}

/** True where the gateway's answer could change nothing: what the callback says is final here, or the state already. */
async function isRecorded(link: PaymentLink, { gatewayId, status }: GatewayCallback): Promise<boolean> {
  const { companyId } = link;
  if (status === 'paid') return (await Payment.count({ where: { companyId, gatewayId } })) > 0;
  // Another link with the same reference: a call with an unknown outcome has made it, and it has to be ended.
  if (gatewayId !== link.gatewayId) return false;
  const isFinal = link.status === 'paid' || link.status === 'expired';
  return isFinal || (status === 'pending' && link.status === 'active');
}

function contentOf({ reference, gatewayId, status }: GatewayCallback): string {
  return createHash('sha256')
    .update(JSON.stringify([reference, gatewayId, status]))
    .digest('hex');
}
