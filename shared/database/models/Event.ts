import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';

/** What happened: the one record behind the event feed, timeline and audit. `data` is JSON. */
@Table({ tableName: 'events' })
export class Event extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @Column(DataType.STRING(64))
  declare type: string;

  @Column(DataType.STRING(64))
  declare actor: string;

  @Column(DataType.STRING(32))
  declare subjectType: string;

  @Column(DataType.BIGINT.UNSIGNED)
  declare subjectId: number;

  @Column(DataType.TEXT)
  declare data: string;

  @Column(DataType.DATE(3))
  declare createdAt: Date;
}
