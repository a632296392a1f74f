import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';

/** `creating`: the gateway may or may not know it yet. `superseded`: to be expired at the gateway. */
export type PaymentLinkStatus = 'creating' | 'active' | 'superseded' | 'expired' | 'paid' | 'failed';

/** A payment link at the gateway, found there by `reference`. `total` is the invoice’s when it was made, `amount` the gateway’s. */
@Table({ tableName: 'payment_links' })
export class PaymentLink extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @Column(DataType.BIGINT.UNSIGNED)
  declare invoiceId: number;

  @Column(DataType.STRING(32))
  declare provider: string;

  @Column(DataType.STRING(36))
  declare reference: string;

  @Column(DataType.STRING(191))
  declare gatewayId: string | null;

  @Column(DataType.STRING(2048))
  declare url: string | null;

  @Column(DataType.STRING(16))
  declare status: PaymentLinkStatus;

  @Column(DataType.DECIMAL(15, 2))
  declare total: string;

  @Column(DataType.DECIMAL(15, 2))
  declare amount: string;

  @Column(DataType.STRING(3))
  declare currency: string;

  @Column(DataType.DATE(3))
  declare calledAt: Date | null;

  @Column(DataType.DATE(3))
  declare expiresAt: Date | null;

  /** When the gateway is asked about the link, whether a callback came or not, as long as it has not ended. */
  @Column(DataType.DATE(3))
  declare pollAt: Date;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
