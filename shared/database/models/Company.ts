import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';

/** The tenant and the sender of its invoices. */
@Table({ tableName: 'companies' })
export class Company extends Model {
  @PrimaryKey
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @Column(DataType.STRING(255))
  declare name: string;

  @Column(DataType.STRING(254))
  declare email: string | null;

  @Column(DataType.STRING(50))
  declare phone: string | null;

  @Column(DataType.STRING(1000))
  declare address: string | null;

  @Column(DataType.STRING(100))
  declare taxId: string | null;

  @Column(DataType.STRING(3))
  declare currency: string;

  @Column(DataType.STRING(35))
  declare locale: string;

  @Column(DataType.STRING(64))
  declare timezone: string;

  @Column(DataType.STRING(50))
  declare invoiceNumberFormat: string;

  @Column(DataType.STRING(191))
  declare logoKey: string | null;

  @Column(DataType.DATE(3))
  declare overdueCheckAt: Date;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
