import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Count, Flag, Id, KeyId, NewKeyId, Text, Timestamp } from '../engine/db';

/** Why the service itself has disabled an endpoint: it responded with 410, or only failed for days. */
export const disabledReasons = ['gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** Where a company's events are sent. `types` is a JSON list of types and patterns; the secrets are encrypted. */
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
  /** How often the endpoint was claimed: a process that holds an older number records nothing. */
  @Id declare run: CreationOptional<number>;
  @Timestamp declare leaseUntil: Date | null;
  /** Failed attempts since the last success. */
  @Count declare failures: CreationOptional<number>;
  @Timestamp declare failingSince: Date | null;
  @Flag declare softDelete: boolean;
  /** There may be something to do for it: the scans read no others. The scan resets it for one that is disabled or deleted. */
  @Flag declare watched: CreationOptional<boolean>;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
