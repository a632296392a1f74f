import type { Config } from '../../config/env';
import { type ProviderName, providerNames } from '../../config/paymentProviders';
import { GatewayUnavailable } from '../../shared/engine/errors';
import type { Throttle } from './callGateway';
import type { Gateway } from './Gateway';
import { StripeGateway } from './stripe';
import { XenditGateway } from './xendit';

export { type Caller, type Gateway, type GatewayLink, type NewLink, PartlyExpired } from './Gateway';

/** The adapter of each provider. It is opened only with a secret key. */
const adapters: Readonly<Record<ProviderName, new (settings: Config['gateway'], throttle?: Throttle) => Gateway>> = {
  xendit: XenditGateway,
  stripe: StripeGateway,
};

/** The payment providers that this process can call. A link stays with the provider that created it. */
export class Gateways {
  private readonly byProvider: ReadonlyMap<string, Gateway>;

  constructor(gateways: readonly Gateway[]) {
    this.byProvider = new Map(gateways.map((gateway) => [gateway.provider, gateway]));
  }

  /** The gateways of all providers with credentials. */
  get all(): readonly Gateway[] {
    return [...this.byProvider.values()];
  }

  /** @throws {GatewayUnavailable} without credentials for the provider. The operator can add them, so a retry can help. */
  of(provider: string): Gateway {
    const gateway = this.byProvider.get(provider);
    if (gateway !== undefined) return gateway;
    throw new GatewayUnavailable(`no credentials are configured for the payment provider "${provider}"`, {
      outcomeUnknown: false,
    });
  }
}

/** Returns every provider with credentials. Each call waits for `throttle`. Opens no connection yet. */
export function openGateways(
  settings: Config['gateway'],
  throttle?: (provider: ProviderName, ...waiting: Parameters<Throttle>) => Promise<void>,
): Gateways {
  const usable = providerNames.filter((name) => settings.providers[name].secretKey !== '');
  return new Gateways(
    usable.map((name) => new adapters[name](settings, throttle && ((...waiting) => throttle(name, ...waiting)))),
  );
}
