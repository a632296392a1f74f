import { addColumns, addKeys, inTurn, updateInBatches } from './Migration';

/**
 * Marks the endpoints for which there may be something to do, so that the scans of every second read these alone. A worker of the
 * version before knows nothing of it: the scan itself marks what it has enabled.
 */
export default inTurn(
  addColumns('webhook_endpoints', { watched: 'TINYINT(1) NOT NULL DEFAULT 1' }),
  addKeys('webhook_endpoints', { webhook_endpoints_watched: 'watched, enabled, softDelete, companyId, id' }),
  // Disabled and deleted endpoints for which nothing is pending.
  updateInBatches(`UPDATE webhook_endpoints SET watched = 0
    WHERE watched = 1 AND (enabled = 0 OR softDelete = 1) AND NOT EXISTS
      (SELECT 1 FROM webhook_deliveries WHERE status = 'pending'
        AND webhook_deliveries.companyId = webhook_endpoints.companyId AND endpointId = webhook_endpoints.id)`),
);
