import type { ProviderName } from '../../../config/paymentProviders';
import { parseDecimal } from '../../money/money';
import type { GatewayRules } from './GatewayCallback';
import * as stripe from './stripe';
import * as xendit from './xendit';

export type { GatewayCallback, GatewayLinkStatus, GatewayRules, HeaderProof, LinkCallback } from './GatewayCallback';

const known: Record<ProviderName, GatewayRules> = { xendit, stripe };

/** The rules of every payment provider, by its name in the configuration, in our records and in the path of callbacks. */
export const providers: Readonly<Record<string, GatewayRules>> = known;

/** Returns the rules of the provider that a URL names; null if there is no such provider. */
export function findGatewayRules(provider: string): GatewayRules | null {
  return Object.hasOwn(providers, provider) ? (providers[provider] ?? null) : null;
}

/**
 * Returns the rules of a provider that is configured or recorded.
 * @throws {Error} when this version does not know the provider
 */
export function gatewayRules(provider: string): GatewayRules {
  const rules = findGatewayRules(provider);
  if (rules === null) throw new Error(`this version knows no payment provider "${provider}"`);
  return rules;
}

/**
 * Returns the amount that a provider asks for if it differs from the amount due: 1357 of ¥1,357.40. Returns null if they are equal, or if
 * the provider's would be 0.
 * @param due a decimal with two places, not negative
 */
export function payableOnline(provider: string, due: string, currency: string): string | null {
  const asked = gatewayRules(provider).gatewayAmount(due, currency);
  return asked === due || parseDecimal(asked) === 0n ? null : asked;
}
