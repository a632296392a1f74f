import { toSqlTime, type UnitOfWork } from '../engine/db';
import type { DeliveryError } from './deliveryErrors';

/** Why they have no response. */
const ERROR: DeliveryError = 'endpoint_disabled';
/** Deliveries of one transaction. */
const BATCH = 1_000;

/**
 * Ends deliveries of an endpoint that is sent nothing any more: pending ones become `failed`. Ends at most a batch of them; while it
 * returns true, more may be left for the workers, which do not send them either.
 */
export async function endDeliveries({ sql, companyId, now }: UnitOfWork, endpointId: number): Promise<boolean> {
  const { affectedRows } = await sql.run(
    `UPDATE webhook_deliveries SET status = 'failed', nextAttemptAt = NULL, endedAt = ?, errorCode = '${ERROR}'
      WHERE companyId = ? AND endpointId = ? AND status = 'pending' LIMIT ${BATCH}`,
    [toSqlTime(now), companyId, endpointId],
  );
  return affectedRows === BATCH;
}
