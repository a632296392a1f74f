import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';

/** A bearer token of one company; only its SHA-256 is kept. */
@Table({ tableName: 'api_keys' })
export class ApiKey extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @Column(DataType.STRING(255))
  declare name: string;

  @Column(DataType.STRING(64))
  declare tokenHash: string;

  @Column(DataType.STRING(16))
  declare tokenHint: string;

  @Column(DataType.STRING(64))
  declare scopes: string;

  @Column(DataType.DATE(3))
  declare expiresAt: Date | null;

  @Column(DataType.DATE(3))
  declare lastUsedAt: Date | null;

  @Column(DataType.DATE(3))
  declare revokedAt: Date | null;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
