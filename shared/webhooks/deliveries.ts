import { Type } from '@sinclair/typebox';
import type { Sql, SqlText } from '../engine/db';
import { NotFound } from '../engine/errors';
import {
  assigned,
  describeRecord,
  flag,
  type LargePage,
  nullable,
  type Page,
  pageRequest,
  type PageRequest,
  presenter,
  readPage,
  readRecord,
  type RecordSource,
  type RowOf,
  timestamp,
  value,
} from '../engine/records';
import { oneOf, pageQuery, recordId } from '../engine/schemas';
import { deliveryErrors } from './deliveryErrors';
import { webhookEndpointKind } from './record';
import { deliveryStatuses, type DeliveryStatus } from './deliveryStatuses';

const text = (maxLength?: number) =>
  Type.Unsafe<string>({ type: 'string', ...(maxLength !== undefined && { maxLength }) });
const count = Type.Unsafe<number>({ type: 'integer', minimum: 0 });

const fields = {
  id: assigned(value(recordId)),
  /** The id in the feed. */
  eventId: assigned(nullable(value(recordId))),
  type: assigned(value(text())),
  isReplay: assigned(flag),
  status: assigned(value(oneOf('WebhookDeliveryStatus', deliveryStatuses))),
  attempts: assigned(value(count)),
  /** Of the last attempt, like the next fields. */
  responseStatus: assigned(nullable(value(count))),
  responseBody: assigned(nullable(value(text(1024)))),
  errorCode: assigned(nullable(value(oneOf('WebhookDeliveryError', deliveryErrors)))),
  durationMs: assigned(nullable(value(count))),
  nextAttemptAt: assigned(nullable(timestamp)),
  createdAt: assigned(timestamp),
  endedAt: assigned(nullable(timestamp)),
};

/** The delivery of one event to one endpoint. */
export type WebhookDeliveryRecord = RowOf<typeof fields>;

const delivery = describeRecord('WebhookDelivery', fields);

export const presentWebhookDelivery = presenter(fields, { title: 'WebhookDelivery' });

const source: RecordSource<WebhookDeliveryRecord & { endpointId: number }> = {
  name: 'delivery',
  table: 'webhook_deliveries',
  alias: 'd',
  // The last column of a name is the one that is read.
  columns: `${delivery.columnsOf('d')}, GREATEST(d.nextAttemptAt, d.createdAt) AS nextAttemptAt, d.endpointId`,
};

/** Ids grow with time. */
export const deliveryQuery = pageQuery(['id'], 'id', {
  status: { type: 'string', enum: [...deliveryStatuses, 'all'], default: 'all' },
});

/** The deliveries of an endpoint that are counted: 20,000 entries of an index are read, however many there are. */
export const DELIVERIES_COUNTED = 10_000;

export interface DeliveryQuery extends PageRequest<'id'> {
  status: DeliveryStatus | 'all';
}

/** Lists the deliveries of an endpoint; its total is capped. @throws {NotFound} when the endpoint is absent, deleted or another company's. */
export async function listDeliveries(
  sql: Sql,
  companyId: number,
  endpointId: number,
  { status, ...page }: DeliveryQuery,
): Promise<Page<WebhookDeliveryRecord> | LargePage<WebhookDeliveryRecord>> {
  await readRecord(sql, companyId, webhookEndpointKind, endpointId);
  const conditions: SqlText[] = [{ text: 'd.endpointId = ?', values: [endpointId] }];
  if (status !== 'all') conditions.push({ text: 'd.status = ?', values: [status] });
  const index = `webhook_deliveries_by_${status === 'all' ? 'endpoint' : 'status'}`;
  const counted = { countedUpTo: DELIVERIES_COUNTED };
  return readPage(sql, companyId, { ...source, conditions, index, ...counted }, pageRequest(page));
}

/** @throws {NotFound} when the endpoint or the delivery is absent, or another company's, or the delivery is another endpoint's. */
export async function getDelivery(
  sql: Sql,
  companyId: number,
  endpointId: number,
  deliveryId: number,
): Promise<WebhookDeliveryRecord> {
  await readRecord(sql, companyId, webhookEndpointKind, endpointId);
  const found = await readRecord(sql, companyId, source, deliveryId);
  if (found.endpointId !== endpointId) throw new NotFound(source.name);
  return found;
}
