import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';
import { softDeleteColumn } from './softDeleteColumn';

/** What an expense is for. Its name is unique among a company’s categories that are not deleted. */
@Table({ tableName: 'categories' })
export class Category extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @Column(DataType.STRING(255))
  declare name: string;

  @Column(softDeleteColumn)
  declare softDelete: boolean;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
