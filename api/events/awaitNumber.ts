import { Conflict } from '../../shared/engine/errors';
import { isGiven, NUMBERS_PER_MS } from '../../shared/engine/events';
import type { Call } from '../http/routing/Call';

/** Another node of a database cluster may have assigned a number that this node does not have yet. */
export const CLUSTER_LAG_MS = 1_000;
/** After the node that writes was killed, the next one shows the last numbers only when the cluster has dropped that node. */
const FAILOVER_MS = 15_000;
/** The age of a number, by its own time, up to which a failover may hide it. Clocks differ. */
const RECENT_MS = 60_000;

/**
 * Waits until an event has this number or a higher one: of a recent one for as long as a failover of the database may hide it.
 * @throws {Conflict} 409 `after_ahead_of_feed`
 */
export async function awaitNumber(
  { services, companyId, turn }: Pick<Call, 'services' | 'companyId' | 'turn'>,
  number: number,
): Promise<void> {
  if (number === 0 || (await isGiven(services.sql, number))) return;
  const isRecent = Math.abs(services.clock.now().getTime() - number / NUMBERS_PER_MS) < RECENT_MS;
  const deadline = Date.now() + (isRecent ? FAILOVER_MS : CLUSTER_LAG_MS);
  let isOver = false;
  do {
    isOver = await turn.aside(async (gone) => {
      // Also when a later event has been reported, which is not readable yet either.
      const reported = services.feedWaits.newestOf(companyId);
      const ms = Math.min(CLUSTER_LAG_MS, deadline - Date.now());
      await services.feedWaits.wait(companyId, Math.max(number, reported), ms, gone);
      return gone.aborted || services.jobEndHints.isClosing || Date.now() >= deadline;
    });
    if (await isGiven(services.sql, number)) return;
  } while (!isOver);
  throw new Conflict(
    'after_ahead_of_feed',
    `no event has the id ${number} or a higher one: it is of another installation, or this one was restored from a backup`,
  );
}
