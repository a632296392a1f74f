import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Count, Flag, Id, KeyId, NewKeyId, Text, Timestamp } from '../engine/db';

/** Why the service has disabled an endpoint: it responded with 410, or failed for days. */
export const disabledReasons = ['gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** A URL to which a company's events are sent. `types` is a JSON list of types and patterns; the secrets are encrypted. */
@Table({ tableName: 'webhook_endpoints' })
export class WebhookEndpoint extends Model<InferAttributes<WebhookEndpoint>, InferCreationAttributes<WebhookEndpoint>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Text(2048) declare url: string;
  @Text() declare types: string;
  @Text(255) declare description: string;
  @Flag declare enabled: boolean;
  @Text(16) declare disabledReason: DisabledReason | null;
  @Text(255) declare secret: string;
  /** Signs beside `secret` until `previousSecretUntil`. */
  @Text(255) declare previousSecret: string | null;
  @Timestamp declare previousSecretUntil: Date | null;
  /** The newest event of the feed for which the endpoint has its deliveries. */
  @Id declare position: number;
  /** The number of claims, a fencing token: a process with an older number records nothing. */
  @Id declare run: CreationOptional<number>;
  @Timestamp declare leaseUntil: Date | null;
  /** Failed attempts since the last success. */
  @Count declare failures: CreationOptional<number>;
  @Timestamp declare failingSince: Date | null;
  @Flag declare softDelete: boolean;
  /** True while the scans read the endpoint. The scan resets it for a disabled or deleted endpoint without pending deliveries. */
  @Flag declare watched: CreationOptional<boolean>;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
