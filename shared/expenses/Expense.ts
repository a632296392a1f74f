import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Day, Decimal, Flag, Id, KeyId, NewKeyId, Small, Text, Timestamp } from '../engine/db';
import type { ExpenseStatus } from './statuses';
import type { Recurrence } from '../recurrence';

/** A business expense. With `recurring` other than `none` it is a series (see `SeriesState`). */
@Table({ tableName: 'expenses' })
export class Expense extends Model<InferAttributes<Expense>, InferCreationAttributes<Expense>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Id declare categoryId: number;
  @Id declare vendorId: number | null;
  @Text(255) declare vendor: string;
  @Text() declare description: string;
  @Decimal() declare amount: string;
  @Text(3) declare currency: string;
  @Day declare expenseDate: string;
  @Text(2048) declare receiptUrl: string | null;
  @Text(16) declare status: ExpenseStatus;
  @Text(8) declare recurring: Recurrence;
  @Small declare every: CreationOptional<number>;
  @Day declare nextDueDate: string | null;
  @Day declare endsOn: string | null;
  @Flag declare paused: CreationOptional<boolean>;
  @Day declare anchorDate: string | null;
  @Day declare recurringSince: string | null;
  @Timestamp declare dueAt: Date | null;
  @Id declare seriesId: number | null;
  @Day declare occurrenceDate: string | null;
  @Flag declare softDelete: boolean;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
