import { toSqlTime, type UnitOfWork } from '../engine/db';
import type { DeliveryError } from './deliveryErrors';

/** The reason for which they end. */
const ERROR: DeliveryError = 'endpoint_disabled';
/** Deliveries of one transaction. */
const BATCH = 1_000;

/**
 * Ends a batch of the pending deliveries of a disabled or deleted endpoint: they become `failed`. Returns true while more may be left. The
 * workers end those without sending them.
 */
export async function endDeliveries({ sql, companyId, now }: UnitOfWork, endpointId: number): Promise<boolean> {
  const { affectedRows } = await sql.run(
    `UPDATE webhook_deliveries SET status = 'failed', nextAttemptAt = NULL, endedAt = ?, errorCode = '${ERROR}'
      WHERE companyId = ? AND endpointId = ? AND status = 'pending' LIMIT ${BATCH}`,
    [toSqlTime(now), companyId, endpointId],
  );
  return affectedRows === BATCH;
}
