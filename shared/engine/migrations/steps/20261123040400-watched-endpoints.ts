import type { SchemaChange } from './Migration';

/** Rows of one statement of the backfill: keeps locks short. */
const BATCH = 1_000;

/** Disabled and deleted endpoints for which nothing is pending. */
const backfill = `UPDATE webhook_endpoints SET watched = 0
  WHERE watched = 1 AND (enabled = 0 OR softDelete = 1) AND NOT EXISTS
    (SELECT 1 FROM webhook_deliveries WHERE status = 'pending'
      AND webhook_deliveries.companyId = webhook_endpoints.companyId AND endpointId = webhook_endpoints.id)
  LIMIT ${BATCH}`;

/**
 * Marks the endpoints for which there may be something to do, so that the scans of every second read these alone. A worker of the
 * version before knows nothing of it: the scan itself marks what it has enabled.
 */
const watchedEndpoints: SchemaChange = {
  up: async (sql) => {
    await sql.query(
      'ALTER TABLE webhook_endpoints ADD COLUMN watched TINYINT(1) NOT NULL DEFAULT 1, ALGORITHM=INSTANT',
    );
    await sql.query(
      'ALTER TABLE webhook_endpoints ADD KEY webhook_endpoints_watched (watched, enabled, softDelete, companyId, id), ALGORITHM=INPLACE, LOCK=NONE',
    );
    for (let changed = BATCH; changed === BATCH;) {
      const [, result] = (await sql.query(backfill)) as [unknown, { affectedRows: number } | undefined];
      changed = result?.affectedRows ?? 0;
    }
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE webhook_endpoints DROP KEY webhook_endpoints_watched, DROP COLUMN watched');
  },
};

export default watchedEndpoints;
