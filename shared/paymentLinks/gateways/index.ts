import type { ProviderName } from '../../../config/paymentProviders';
import { parseDecimal } from '../../money/money';
import type { GatewayRules } from './GatewayCallback';
import * as stripe from './stripe';
import * as xendit from './xendit';

export type { GatewayCallback, GatewayLinkStatus, GatewayRules, HeaderProof, LinkCallback } from './GatewayCallback';

const known: Record<ProviderName, GatewayRules> = { xendit, stripe };

/** The pure part of every payment provider, by its name in configuration, in our records and in the callback's path. */
export const providers: Readonly<Record<string, GatewayRules>> = known;

/** The callback rules of one provider (of a URL); null when there is no such provider. */
export function findGatewayRules(provider: string): GatewayRules | null {
  return Object.hasOwn(providers, provider) ? (providers[provider] ?? null) : null;
}

/**
 * The rules of a provider that is configured or recorded.
 * @throws {Error} when this version does not know the provider
 */
export function gatewayRules(provider: string): GatewayRules {
  const rules = findGatewayRules(provider);
  if (rules === null) throw new Error(`this version knows no payment provider "${provider}"`);
  return rules;
}

/**
 * Returns the amount that a provider asks for, where it differs from the amount due: of ¥1,357.40, 1357. Returns null where the amounts
 * are equal, and where the provider's would be 0.
 * @param due a decimal with two places, not negative
 */
export function payableOnline(provider: string, due: string, currency: string): string | null {
  const asked = gatewayRules(provider).gatewayAmount(due, currency);
  return asked === due || parseDecimal(asked) === 0n ? null : asked;
}
