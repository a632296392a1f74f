import type { Config } from '../../config/env';
import { GatewayUnavailable } from '../../shared/engine/errors';
import type { Turn } from './callGateway';
import type { Gateway, GatewayAdapter } from './Gateway';
import { stripe } from './stripe';
import { xendit } from './xendit';

export type { Gateway, GatewayLink, NewLink } from './Gateway';

const adapters: readonly GatewayAdapter[] = [xendit, stripe];

/** The payment providers that this process can call. A link stays with the provider that made it. */
export class Gateways {
  private readonly byProvider: ReadonlyMap<string, Gateway>;

  constructor(gateways: readonly Gateway[]) {
    this.byProvider = new Map(gateways.map((gateway) => [gateway.provider, gateway]));
  }

  /** Those of all providers with credentials. */
  get all(): readonly Gateway[] {
    return [...this.byProvider.values()];
  }

  /** @throws {GatewayUnavailable} without credentials for the provider: the operator can add them, so a retry can help. */
  of(provider: string): Gateway {
    const gateway = this.byProvider.get(provider);
    if (gateway !== undefined) return gateway;
    throw new GatewayUnavailable(`no credentials are configured for the payment provider "${provider}"`, {
      outcomeUnknown: false,
    });
  }
}

/** Every provider that the settings hold credentials for; each call waits for its `turn`. Opens no connection yet. */
export function openGateways(settings: Config['gateway'], turn?: Turn): Gateways {
  return new Gateways(adapters.filter((one) => one.hasCredentials(settings)).map((one) => one.open(settings, turn)));
}
