import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';
import { softDeleteColumn } from './softDeleteColumn';
import type { ExpenseStatus, Recurrence } from '../../domain/statuses';

/** A business expense. With `recurring` other than `none` it is a series (see usecases/recurrence/SeriesState). */
@Table({ tableName: 'expenses' })
export class Expense extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @Column(DataType.BIGINT.UNSIGNED)
  declare categoryId: number;

  @Column(DataType.BIGINT.UNSIGNED)
  declare vendorId: number | null;

  @Column(DataType.STRING(255))
  declare vendor: string;

  @Column(DataType.TEXT)
  declare description: string;

  @Column(DataType.DECIMAL(15, 2))
  declare amount: string;

  @Column(DataType.STRING(3))
  declare currency: string;

  @Column(DataType.DATEONLY)
  declare expenseDate: string;

  @Column(DataType.STRING(2048))
  declare receiptUrl: string | null;

  @Column(DataType.STRING(16))
  declare status: ExpenseStatus;

  @Column(DataType.STRING(8))
  declare recurring: Recurrence;

  @Column(DataType.DATEONLY)
  declare nextDueDate: string | null;

  @Column(DataType.DATEONLY)
  declare anchorDate: string | null;

  @Column(DataType.DATEONLY)
  declare recurringSince: string | null;

  @Column(DataType.DATE(3))
  declare dueAt: Date | null;

  @Column(DataType.BIGINT.UNSIGNED)
  declare seriesId: number | null;

  @Column(DataType.DATEONLY)
  declare occurrenceDate: string | null;

  @Column(softDeleteColumn)
  declare softDelete: boolean;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
