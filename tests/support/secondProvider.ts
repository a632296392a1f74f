import { createHmac, randomUUID } from 'node:crypto';
import { GatewayRefused, GatewayUnavailable } from '../../shared/engine/errors';
import type { GatewayLinkStatus, GatewayRules } from '../../shared/paymentLinks/gateways';
import type { Gateway, GatewayLink, NewLink } from '../../workers/gateways';
import type { RecordedLink } from '../../workers/gateways/Gateway';

/** The signature of a callback's bytes. */
export const signatureOf = (bytes: Buffer | string): string =>
  createHmac('sha256', 'secret of the second provider').update(bytes).digest('hex');

/** A payment provider unlike Xendit: it carries out one call for each reference, and signs the bytes of its callbacks. */
export class SecondProvider implements Gateway {
  static readonly rules: GatewayRules = {
    headerProof: (headers) => (/^[0-9a-f]{64}$/.test(String(headers['x-signature'])) ? 'unproven' : 'refused'),
    isAuthentic: (rawBody, headers) => headers['x-signature'] === signatureOf(rawBody),
    parseCallback: (body) => {
      const { link, key, state } = body as { link: string; key: string; state: GatewayLinkStatus };
      return { gatewayId: link, reference: key, paymentId: link, status: state, eventId: '' };
    },
    gatewayAmount: (total) => total,
    pages: () => ['https://second.example.com'],
  };

  readonly provider = 'second';
  readonly unknownForMs = 0;
  readonly links = new Map<string, GatewayLink>();
  /** How many of the next calls that make a link get no response, though they are carried out. */
  lostResponses = 0;

  findOrCreateLink({ reference, amount, currency, durationSeconds }: NewLink): Promise<GatewayLink> {
    const link = this.byReference(reference) ?? {
      id: `second-${randomUUID()}`,
      reference,
      url: `https://second.example.com/${reference}`,
      status: 'pending',
      amount,
      currency,
      paidAmount: null,
      paidAt: null,
      paymentMethod: null,
      paymentId: null,
      refundedAmount: null,
      disputedAt: null,
      expiresAt: new Date(Date.now() + durationSeconds * 1_000),
    };
    this.links.set(link.id, link);
    if (this.lostResponses-- <= 0) return Promise.resolve(link);
    return Promise.reject(new GatewayUnavailable('no response', { outcomeUnknown: true }));
  }

  linksOf({ reference, gatewayId }: RecordedLink): Promise<GatewayLink[]> {
    const link = gatewayId === null ? this.byReference(reference) : this.links.get(gatewayId);
    return Promise.resolve(link === undefined ? [] : [link]);
  }

  expireLink(id: string): Promise<GatewayLink> {
    const link = this.links.get(id);
    if (link === undefined) return Promise.reject(new GatewayRefused('no such link'));
    if (link.status === 'pending') this.links.set(id, { ...link, status: 'expired' });
    return Promise.resolve({ ...link, status: link.status === 'pending' ? 'expired' : link.status });
  }

  /** The client pays. */
  pay(id: string): void {
    const link = this.links.get(id);
    if (link?.status !== 'pending') throw new Error(`link ${id} cannot be paid`);
    this.links.set(id, { ...link, status: 'paid', paidAmount: link.amount, paidAt: new Date() });
  }

  private byReference(reference: string): GatewayLink | undefined {
    return [...this.links.values()].find((link) => link.reference === reference);
  }
}
