import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type GatewayCallback, type LinkCallback, type PaymentLink, syncPaymentLink } from '../paymentLinks';
import { OccasionalWarning } from '../engine/log';
import { recordJob } from '../engine/jobs';
import type { Services } from '../services';

/** The shortest time between two syncs for the same callback. */
const PAUSE_MS = 60_000;
const MAX_CACHED = 10_000;

/**
 * Receives authentic callbacks. A callback with news only records that the link has to be synced with the gateway, so that it is
 * acknowledged fast. Safe to call any number of times and in any order.
 *
 * Repeats do not each call the gateway. A callback whose status is recorded already is acknowledged and dropped. A repeat shares the job of
 * the same callback until that has ended; after that it is deferred until a minute after the last sync. It is never dropped, because the
 * gateway may be slow to show a change that it has announced. A callback with another status gets its own job immediately, because the
 * running job may have read the link before the change.
 */
export class GatewayCallbacks {
  /** When the same callback may be synced again. Each process has its own list, so that several processes sync a little more often. */
  private readonly nextSync = new LRUCache<string, number>({ max: MAX_CACHED });
  private readonly unknown: OccasionalWarning;

  constructor(private readonly services: Services) {
    this.unknown = new OccasionalWarning(services.log, 'a callback names none of our links');
  }

  /** Receives a callback of `provider` from this request. It finds only links of that provider. */
  async receive(provider: string, callback: GatewayCallback, requestId: string): Promise<void> {
    const link = await this.linkOf(provider, callback);
    if (link === null) return this.unknown.note({ ...callback });
    const isOfPayment = callback.status === 'changed';
    if (!isOfPayment && isRecorded(link, callback)) return;
    const content = contentOf(callback);
    const { companyId, id } = link;
    const payload = { paymentLinkId: id, callback: content, ...(isOfPayment && { ofPayment: true }) };
    const scope = { companyId, actor: `gateway:${provider}`, requestId };
    const availableAt = await this.services.perform(scope, async (uow) => {
      const at = new Date(Math.max(uow.now.getTime(), this.nextSync.get(content) ?? 0));
      const job = await recordJob(uow, syncPaymentLink, payload, { availableAt: at });
      return job.availableAt;
    });
    this.nextSync.set(content, availableAt.getTime() + PAUSE_MS);
  }

  private async linkOf(provider: string, callback: GatewayCallback): Promise<KnownLink | null> {
    const { sql } = this.services;
    const { reference, paymentId } = callback;
    const [link] = reference === null ? [] : await sql.rows<KnownLink>(linkSql, [paymentId, provider, reference]);
    if (link !== undefined || callback.status !== 'changed') return link ?? null;
    const payment = [provider, callback.paymentId];
    const [found] = await sql.rows<KnownLink>(paidLinkSql, [...payment, ...payment]);
    return found ?? null;
  }
}

interface KnownLink extends Pick<PaymentLink, 'companyId' | 'id' | 'status' | 'gatewayId'> {
  /** Whether the payment that the callback is about is recorded: 0 or 1. */
  hasPayment: number;
}
const columns = 'l.companyId, l.id, l.status, l.gatewayId';

const linkSql = `SELECT ${columns}, EXISTS (
    SELECT 1 FROM payments p WHERE p.companyId = l.companyId AND p.gatewayId = ?) AS hasPayment
  FROM payment_links l WHERE l.provider = ? AND l.reference = ?`;

/** Finds the link of a payment. With some providers the payment has the id of its link: then the payment need not be recorded yet. */
const paidLinkSql = `SELECT ${columns}, 1 AS hasPayment FROM payments p JOIN payment_links l ON l.companyId = p.companyId AND l.id = p.paymentLinkId
    WHERE l.provider = ? AND p.gatewayId = ?
  UNION SELECT ${columns}, 0 FROM payment_links l WHERE l.provider = ? AND l.gatewayId = ? LIMIT 1`;

/** True if a sync would change nothing: our status is final, or is that of the callback. */
function isRecorded(link: KnownLink, { gatewayId, status }: LinkCallback): boolean {
  if (status === 'paid') return link.hasPayment === 1;
  // Another link with the same reference was created by a call with an unknown outcome. It has to be expired.
  if (gatewayId !== link.gatewayId) return false;
  // Two payers who had the link open may both have paid.
  if (status === 'news') return link.hasPayment === 1;
  const isFinal = link.status === 'paid' || link.status === 'expired';
  return isFinal || (status === 'pending' && link.status === 'active');
}

function contentOf(callback: GatewayCallback): string {
  const id = callback.status === 'changed' ? callback.paymentId : callback.gatewayId;
  return createHash('sha256')
    .update(JSON.stringify([callback.reference, id, callback.status, callback.eventId]))
    .digest('hex');
}
