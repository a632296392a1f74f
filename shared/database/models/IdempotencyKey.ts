import { Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';

/** What a POST under an Idempotency-Key was answered, for 24 hours. */
@Table({ tableName: 'idempotency_keys' })
export class IdempotencyKey extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @Column(DataType.STRING(255))
  declare idempotencyKey: string;

  @Column(DataType.STRING(64))
  declare requestHash: string;

  @Column(DataType.STRING(36))
  declare claim: string;

  @Column(DataType.DATE(3))
  declare claimedUntil: Date | null;

  @Column(DataType.BIGINT.UNSIGNED)
  declare jobId: number | null;

  @Column(DataType.SMALLINT.UNSIGNED)
  declare responseStatus: number | null;

  @Column(DataType.TEXT)
  declare responseHeaders: string | null;

  @Column(DataType.TEXT)
  declare responseBody: string | null;

  @Column(DataType.DATE(3))
  declare expiresAt: Date;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
