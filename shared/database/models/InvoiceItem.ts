import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';

/** A line item; `position` counts from 0 in the order in which the items were given. */
@Table({ tableName: 'invoice_items' })
export class InvoiceItem extends Model {
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare invoiceId: number;

  @PrimaryKey
  @Column(DataType.SMALLINT.UNSIGNED)
  declare position: number;

  @Column(DataType.STRING(500))
  declare description: string;

  @Column(DataType.DECIMAL(15, 2))
  declare quantity: string;

  @Column(DataType.DECIMAL(15, 2))
  declare unitPrice: string;

  @Column(DataType.DECIMAL(15, 2))
  declare amount: string;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
