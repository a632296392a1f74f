import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { KeyId, NewKeyId, Text, Timestamp } from '../engine/db';

/** A bearer token of one company; only its SHA-256 is kept. */
@Table({ tableName: 'api_keys' })
export class ApiKey extends Model<InferAttributes<ApiKey>, InferCreationAttributes<ApiKey>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Text(255) declare name: string;
  @Text(64) declare tokenHash: string;
  @Text(16) declare tokenHint: string;
  @Text(64) declare scopes: string;
  @Timestamp declare expiresAt: Date | null;
  @Timestamp declare lastUsedAt: Date | null;
  @Timestamp declare revokedAt: Date | null;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
