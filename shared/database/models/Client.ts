import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';
import { softDeleteColumn } from './softDeleteColumn';

/** Whom a company invoices. */
@Table({ tableName: 'clients' })
export class Client extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

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

  @Column(DataType.STRING(35))
  declare locale: string | null;

  @Column(softDeleteColumn)
  declare softDelete: boolean;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
