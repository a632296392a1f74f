import { type EndpointRef, fromSqlTime, type Sql, toSqlTime } from '../../shared/engine/db';
import type { Services } from '../../shared/services';
import { wakeEndpoint } from '../../shared/webhooks';

/** The most endpoints that one scan wakes for each of the two reasons. */
const MOST = 1_000;

/** The most of them of one company. A scan follows each second, and a company cannot have more than a ninth of 200 served at the same time. */
const OF_EACH_COMPANY = 30;

/** Endpoints that one scan stops watching. */
const MOST_UNWATCHED = 1_000;

/**
 * Wakes idle endpoints with due retries, or with events that were not sent because a worker died or Redis lost an entry.
 * @throws when MySQL or Redis is unreachable.
 */
export async function scanEndpoints(
  services: Pick<Services, 'sql' | 'log' | 'clock'> & { queues: Pick<Services['queues'], 'add' | 'isFull'> },
): Promise<void> {
  const now = services.clock.now();
  await watchNeeded(services.sql, now);
  const due = await endpointsWithDue(services.sql, now);
  const behind = await endpointsBehind(services.sql, now);
  await Promise.all([
    ...due.map((one) => wakeEndpoint(services, one, `due-${fromSqlTime(one.dueAt).getTime()}`)),
    ...behind.map((one) => wakeEndpoint(services, one, reasonOf(one))),
  ]);
}

/** The entry of a dead worker may still be in the queue, under the name of the newest event. */
const reasonOf = ({ newest, leaseUntil }: Behind): string =>
  leaseUntil === null ? `event-${newest}` : `left-${fromSqlTime(leaseUntil).getTime()}`;

/**
 * Updates which endpoints are watched: the enabled ones, and others until their deliveries have ended and no worker serves them. Scans read
 * only watched ones, however many endpoints were deleted.
 */
async function watchNeeded(sql: Sql, now: Date): Promise<void> {
  // A process of the previous version enables an endpoint without watching it.
  await sql.run(
    `UPDATE webhook_endpoints FORCE INDEX (webhook_endpoints_watched) SET watched = 1
      WHERE watched = 0 AND enabled = 1 AND softDelete = 0`,
  );
  const idle = await sql.rows<{ companyId: number; id: number }>(
    `SELECT companyId, id FROM webhook_endpoints AS endpoints FORCE INDEX (webhook_endpoints_watched)
      WHERE watched = 1 AND (enabled = 0 OR softDelete = 1) AND (leaseUntil IS NULL OR leaseUntil <= ?)
        AND (SELECT 1 FROM webhook_deliveries AS deliveries FORCE INDEX (webhook_deliveries_pending)
          WHERE status = 'pending' AND deliveries.companyId = endpoints.companyId AND endpointId = endpoints.id
          LIMIT 1) IS NULL
      LIMIT ${MOST_UNWATCHED}`,
    [toSqlTime(now)],
  );
  if (idle.length === 0) return;
  await sql.run(
    `UPDATE webhook_endpoints FORCE INDEX (PRIMARY) SET watched = 0
      WHERE (enabled = 0 OR softDelete = 1) AND (${idle.map(() => '(companyId = ? AND id = ?)').join(' OR ')})`,
    idle.flatMap(({ companyId, id }) => [companyId, id]),
  );
}

// Each innermost subquery reads the first entry of an index. MIN and MAX would read all of them, once the row comes from outside, and MySQL
// reads and sorts them if the order leaves out the columns that are compared with that row.

/** Selects of each company the endpoint that waits longest, then of each the next one: a thousand of one company may stay due for an hour. */
const inTurns = (found: string, order: string): string =>
  `SELECT * FROM (SELECT found.*, ROW_NUMBER() OVER (PARTITION BY companyId ORDER BY ${order}) AS place FROM (${found}) AS found) AS placed
    WHERE place <= ${OF_EACH_COMPANY} ORDER BY place, ${order} LIMIT ${MOST}`;

/** Disabled and deleted ones too, whose deliveries are to be ended. */
function endpointsWithDue(sql: Sql, now: Date): Promise<(EndpointRef & { dueAt: string })[]> {
  const found = `SELECT companyId, id AS endpointId, dueAt FROM
      (SELECT companyId, id,
          (SELECT nextAttemptAt FROM webhook_deliveries AS deliveries FORCE INDEX (webhook_deliveries_pending)
            WHERE status = 'pending' AND deliveries.companyId = endpoints.companyId AND endpointId = endpoints.id
            ORDER BY companyId, endpointId, nextAttemptAt LIMIT 1) AS dueAt
        FROM webhook_endpoints AS endpoints FORCE INDEX (webhook_endpoints_watched)
        WHERE watched = 1 AND (leaseUntil IS NULL OR leaseUntil <= ?)) AS idle
    WHERE dueAt <= ?`;
  return sql.rows(inTurns(found, 'dueAt'), [toSqlTime(now), toSqlTime(now)]);
}

interface Behind extends EndpointRef {
  newest: number;
  /** A lease that is still set belongs to a dead worker. */
  leaseUntil: string | null;
}

function endpointsBehind(sql: Sql, now: Date): Promise<Behind[]> {
  const found = `SELECT companyId, id AS endpointId, newest, leaseUntil, position FROM
      (SELECT companyId, id, position, leaseUntil,
          (SELECT seq FROM events FORCE INDEX (events_feed) WHERE events.companyId = endpoints.companyId
            ORDER BY companyId DESC, seq DESC LIMIT 1) AS newest
        FROM webhook_endpoints AS endpoints FORCE INDEX (webhook_endpoints_watched)
        WHERE watched = 1 AND enabled = 1 AND softDelete = 0 AND (leaseUntil IS NULL OR leaseUntil <= ?)) AS idle
    WHERE newest > position`;
  return sql.rows(inTurns(found, 'position'), [toSqlTime(now)]);
}
