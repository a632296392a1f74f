import type { Config } from '../../config/env';
import type { QueueName } from '../../config/queues';
import { type Check, skipped } from '../../shared/engine/checks';
import { browserCheck } from './browser';
import { gatewayChecks } from './gateway';
import { mailCheck } from './mail';

/** The checks of the services that a worker uses beyond MySQL, Redis and files. */
export function workerChecks(config: Config): Check[] {
  return [
    ...ofQueue('pdf', config, [browserCheck(config)]),
    ...ofQueue('email', config, [mailCheck(config)]),
    ...ofQueue('payment-link', config, gatewayChecks(config)),
  ];
}

/** A worker needs only what its queues use. */
function ofQueue(queue: QueueName, { worker }: Config, checks: readonly Check[]): readonly Check[] {
  if (worker.queues.includes(queue)) return checks;
  const finding = skipped(`WORKER_QUEUES leaves out "${queue}"`);
  return checks.map(({ name }) => ({ name, run: () => Promise.resolve(finding) }));
}
