import type { InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, PrimaryKey, Table } from 'sequelize-typescript';
import { Id, KeyId, Small, Text, Timestamp } from '../db';

/** An Idempotency-Key and the response of its request, kept for 24 hours. */
@Table({ tableName: 'idempotency_keys' })
export class IdempotencyKey extends Model<InferAttributes<IdempotencyKey>, InferCreationAttributes<IdempotencyKey>> {
  @KeyId declare companyId: number;
  @PrimaryKey
  @Text(255)
  declare idempotencyKey: string;
  @Text(64) declare requestHash: string;
  @Text(36) declare claim: string;
  @Timestamp declare claimedUntil: Date | null;
  @Id declare jobId: number | null;
  @Small declare responseStatus: number | null;
  @Text() declare responseHeaders: string | null;
  @Text() declare responseBody: string | null;
  @Timestamp declare expiresAt: Date;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
