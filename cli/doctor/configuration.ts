import type { Config, ReadConfig } from '../../config/env';
import { paymentProviders } from '../../config/paymentProviders';
import { broken, type Check, type Finding, ok, warning } from '../../shared/engine/checks';

export type Role = 'api' | 'worker';

/** Checks the variables of one role. */
export function configurationCheck(role: Role, { problems }: ReadConfig): Check {
  const run = (): Finding => {
    if (problems.length === 0) return ok(`all variables of the ${role} are usable`);
    return broken(
      problems.map(({ message }) => message).join('. '),
      'Set the variables; docs/configuration.md describes each. The process does not start like this.',
    );
  };
  return { name: `configuration: ${role}`, run: () => Promise.resolve(run()) };
}

/** Checks optional variables that production should have. `api` is the configuration of the API. */
export function productionCheck(api: Config): Check {
  return {
    name: 'configuration: production',
    variables: ['NODE_ENV', 'PUBLIC_URL', paymentProviders[api.gateway.provider].callbackSecret.name],
    run: () => Promise.resolve(productionFinding(api)),
  };
}

function productionFinding({ environment, publicUrl, gateway }: Config): Finding {
  if (environment !== 'production') {
    return warning(
      `NODE_ENV is ${environment}: PUBLIC_URL and SECRETS_KEY are not demanded, and Chromium may run without its sandbox`,
      'Set NODE_ENV=production wherever real invoices are sent.',
    );
  }
  if (!publicUrl.startsWith('https:')) {
    return warning(
      `PUBLIC_URL=${publicUrl} is not https: keys and invoices of callers would cross the network in clear text`,
      'Put a proxy with TLS in front of the API, and set PUBLIC_URL to its https address.',
    );
  }
  if (gateway.providers[gateway.provider].callbackSecret === '') {
    const { name } = paymentProviders[gateway.provider].callbackSecret;
    return warning(
      `${name} is empty: the API refuses all callbacks of the gateway, and invoices become paid late`,
      `Copy the secret of the callbacks from the dashboard of the gateway into ${name}.`,
    );
  }
  return ok(`NODE_ENV is production, and users reach ${publicUrl}`);
}
