import { loadConfig } from '../../config/env';
import { createLogger } from '../../shared/engine/log/log';
import { openServices } from '../../shared/openServices';
import type { Services } from '../../shared/services';

const opened = new Map<string, Services>();

/** Returns the services of an environment, which a measuring process opens once. */
export function openedServices(variables: Readonly<Record<string, string>>): Services {
  const key = JSON.stringify(variables);
  const known = opened.get(key);
  if (known !== undefined) return known;
  const services = openServices({ config: loadConfig(variables), log: createLogger('warn', 'bench'), listenTo: [] });
  opened.set(key, services);
  return services;
}
