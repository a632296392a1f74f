import type { Config } from '../../config/env';
import type { Gateway } from './Gateway';
import { XenditGateway } from './xendit';

export type { Gateway, GatewayLink, NewLink } from './Gateway';

/**
 * The configured payment provider. Opens no connection yet.
 * @throws {ConfigurationError} when the provider's secret key is missing
 */
export function createGateway(settings: Config['gateway']): Gateway {
  switch (settings.provider) {
    case 'xendit':
      return new XenditGateway(settings);
  }
}
