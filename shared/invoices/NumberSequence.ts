import { Model, PrimaryKey, Table } from 'sequelize-typescript';
import { Id, KeyId, Text } from '../engine/db';

/** The next number of a series (see `seriesOf`). */
@Table({ tableName: 'number_sequences' })
export class NumberSequence extends Model {
  @KeyId declare companyId: number;
  @PrimaryKey
  @Text(64)
  declare series: string;
  @Id declare nextValue: number;
}
