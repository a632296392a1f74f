import { isFirstInSlot } from '../../shared/engine/jobs';
import type { Services } from '../../shared/services';
import { cleanUp } from '../../shared/schedules';
import { scanSucceeded } from './scanSucceeded';

/** How often the installation is cleaned up. */
export const CLEAN_UP_EVERY_MS = 10 * 60_000;

/**
 * Cleans up, unless another worker has begun within the same ten minutes of the clock. Returns whether it did.
 * @throws as {@link cleanUp} does, after all of its steps; when Redis is unreachable.
 */
export async function runCleanUp(services: Services): Promise<boolean> {
  if (!(await isFirstInSlot(services, 'clean-up', CLEAN_UP_EVERY_MS))) return false;
  await cleanUp(services);
  scanSucceeded(services, 'clean-up');
  return true;
}
