import { Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';

/** The next number of a series (see domain/invoiceNumber). */
@Table({ tableName: 'number_sequences' })
export class NumberSequence extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @Column(DataType.STRING(64))
  declare series: string;

  @Column(DataType.BIGINT.UNSIGNED)
  declare nextValue: number;
}
