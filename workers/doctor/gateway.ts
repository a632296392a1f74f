import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/env';
import { paymentProviders, type ProviderName } from '../../config/paymentProviders';
import { broken, CALL_TIMEOUT_MS, type Check, type Finding, ok, reasonOf, skipped } from '../../shared/engine/checks';
import { GatewayRefused, GatewayUnavailable } from '../../shared/engine/errors';
import { openGateways, type Gateway } from '../gateways';

const variables = [
  'GATEWAY_PROVIDER',
  ...Object.values(paymentProviders).flatMap(({ secretKey, baseUrl }) => [secretKey.name, baseUrl.name]),
] as const;

/** Authenticates at every payment gateway with credentials, by a call that changes nothing. */
export function gatewayChecks({ gateway: settings }: Config): Check[] {
  const gateways = openGateways({ ...settings, timeoutMs: Math.min(settings.timeoutMs, CALL_TIMEOUT_MS) }).all;
  if (gateways.length === 0) {
    const finding = skipped('there are no credentials');
    return [{ name: nameOf(settings), variables, run: () => Promise.resolve(finding) }];
  }
  return gateways.map((gateway) => ({ name: nameOf(gateway), variables, run: () => checkGateway(gateway) }));
}

const nameOf = ({ provider }: { provider: string }) => `gateway: ${provider}`;

async function checkGateway(gateway: Gateway): Promise<Finding> {
  const { secretKey, baseUrl } = paymentProviders[gateway.provider as ProviderName];
  try {
    await gateway.linksOf({ reference: `doctor-${randomUUID()}`, createdAt: new Date(), gatewayId: null });
    return ok(`${gateway.provider} accepts the key`);
  } catch (error) {
    if (error instanceof GatewayRefused) {
      return broken(reasonOf(error), `Set ${secretKey.name} to a key of the account that may write money-in products.`);
    }
    if (!(error instanceof GatewayUnavailable)) throw error;
    return broken(reasonOf(error), `Let this machine connect to the gateway, or correct ${baseUrl.name}.`);
  }
}
