import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';

export type EmailStatus = 'queued' | 'sending' | 'sent' | 'failed' | 'uncertain' | 'skipped';

/** One message to a client. `sending` is recorded before the provider is called. */
@Table({ tableName: 'emails' })
export class Email extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @Column(DataType.BIGINT.UNSIGNED)
  declare invoiceId: number;

  @Column(DataType.STRING(191))
  declare messageId: string;

  @Column(DataType.STRING(254))
  declare recipient: string;

  @Column(DataType.STRING(16))
  declare status: EmailStatus;

  @Column(DataType.STRING(255))
  declare providerMessageId: string | null;

  @Column(DataType.DATE(3))
  declare attemptedAt: Date | null;

  @Column(DataType.DATE(3))
  declare sentAt: Date | null;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
