import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';

/** Money received for an invoice; `settles` is what it covers of the total, in the invoice’s currency. */
@Table({ tableName: 'payments' })
export class Payment extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @Column(DataType.BIGINT.UNSIGNED)
  declare invoiceId: number;

  @Column(DataType.BIGINT.UNSIGNED)
  declare paymentLinkId: number | null;

  @Column(DataType.STRING(191))
  declare gatewayId: string | null;

  @Column(DataType.DECIMAL(15, 2))
  declare amount: string;

  @Column(DataType.DECIMAL(15, 2))
  declare settles: string;

  @Column(DataType.STRING(3))
  declare currency: string;

  @Column(DataType.STRING(64))
  declare method: string | null;

  @Column(DataType.DATE(3))
  declare paidAt: Date;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
