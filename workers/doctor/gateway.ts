import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/env';
import { broken, ok, skipped, type Check, type Finding } from '../../shared/kernel/checks/Check';
import { reasonOf } from '../../shared/kernel/checks/reasonOf';
import { GatewayRefused, GatewayUnavailable } from '../../shared/kernel/errors';
import { openGateways, type Gateway } from '../gateways';

/** Below the time-out of a check, so that the gateway's own reason is shown. */
const TIMEOUT_MS = 8_000;

const variables = ['GATEWAY_PROVIDER', 'XENDIT_SECRET_KEY', 'XENDIT_BASE_URL'] as const;

/** Authenticates at every payment gateway that there are credentials for, by a call that changes nothing. */
export function gatewayChecks({ gateway: settings }: Config): Check[] {
  const gateways = openGateways({ ...settings, timeoutMs: Math.min(settings.timeoutMs, TIMEOUT_MS) }).all;
  if (gateways.length === 0) {
    const finding = skipped('there are no credentials');
    return [{ name: nameOf(settings), variables, run: () => Promise.resolve(finding) }];
  }
  return gateways.map((gateway) => ({ name: nameOf(gateway), variables, run: () => checkGateway(gateway) }));
}

const nameOf = ({ provider }: { provider: string }) => `gateway: ${provider}`;

async function checkGateway(gateway: Gateway): Promise<Finding> {
  const name = gateway.provider.toUpperCase();
  try {
    await gateway.linksOf({ reference: `doctor-${randomUUID()}`, gatewayId: null });
    return ok(`${gateway.provider} accepts the key`);
  } catch (error) {
    if (error instanceof GatewayRefused) {
      return broken(
        reasonOf(error),
        `Set ${name}_SECRET_KEY to a key of the account that may write money-in products.`,
      );
    }
    if (!(error instanceof GatewayUnavailable)) throw error;
    return broken(reasonOf(error), `Let this machine connect to the gateway, or correct ${name}_BASE_URL.`);
  }
}
