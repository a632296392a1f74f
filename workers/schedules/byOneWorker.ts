import type { Services } from '../../shared/services';
import { scanSucceeded, type ScanName } from './scanSucceeded';

/**
 * Scans in one of all workers: the first that asks within the same `everyMs` of the clock. Concurrent scans would only read the same rows.
 * A worker that dies leaves the next scan to another.
 * Only that worker reports a success, so an alert sees when the scan fails. Returns whether this worker scanned.
 * @throws the error of the scan; when Redis is unreachable.
 */
export async function byOneWorker(
  services: Services,
  scan: ScanName,
  everyMs: number,
  task: () => Promise<unknown>,
): Promise<boolean> {
  const { queues, clock, config } = services;
  const slot = Math.floor(clock.now().getTime() / everyMs);
  const isFirst = await queues.redis.set(`${config.redisPrefix}:${scan}:${slot}`, '1', 'PX', 10 * everyMs, 'NX');
  if (isFirst === null) return false;
  await task();
  scanSucceeded(services, scan);
  return true;
}
