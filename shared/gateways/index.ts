import type { Config } from '../../config/env';
import type { GatewayRules } from './GatewayCallback';
import * as xendit from './xendit';

export type { GatewayCallback, GatewayLinkStatus, GatewayRules } from './GatewayCallback';

/** Name of a payment provider, as in configuration, in our records and in the callback's path. */
export type GatewayProvider = Config['gateway']['provider'];

const rules: Readonly<Record<GatewayProvider, GatewayRules>> = { xendit };

/** True when `name` (from a URL or a record) is a provider that we know. */
export function isGatewayProvider(name: string): name is GatewayProvider {
  return Object.hasOwn(rules, name);
}

/** The callback rules and the amounts of one provider. */
export function gatewayRules(provider: GatewayProvider): GatewayRules {
  return rules[provider];
}
