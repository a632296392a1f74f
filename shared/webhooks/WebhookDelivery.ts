import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Count, Flag, Id, KeyId, NewKeyId, Small, Text, Timestamp } from '../engine/db';

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One event for one endpoint, or one replay of it. */
@Table({ tableName: 'webhook_deliveries' })
export class WebhookDelivery extends Model<InferAttributes<WebhookDelivery>, InferCreationAttributes<WebhookDelivery>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Id declare endpointId: number;
  /** The id of the event in the feed; null for a test. */
  @Id declare eventId: number | null;
  @Text(64) declare type: string;
  @Flag declare isReplay: boolean;
  @Text(16) declare status: DeliveryStatus;
  @Count declare attempts: CreationOptional<number>;
  /** Of a pending delivery: when it is sent next. Years before `createdAt` for an event that was never sent, so that it comes first. */
  @Timestamp declare nextAttemptAt: Date | null;
  @Small declare responseStatus: number | null;
  /** The first 1,024 bytes. */
  @Text(1024) declare responseBody: string | null;
  /** Why there was no response. */
  @Text(64) declare errorCode: string | null;
  @Count declare durationMs: number | null;
  @Timestamp declare createdAt: Date;
  @Timestamp declare endedAt: Date | null;
}
