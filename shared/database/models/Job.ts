import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';
import type { JobQueueName } from '../../../config/queues';

export const jobStatuses = ['pending', 'running', 'done', 'failed', 'uncertain'] as const;
/** `uncertain`: the outcome at the far side cannot be known; it is not repeated by itself. */
export type JobStatus = (typeof jobStatuses)[number];

/** An effect that must happen once (see outbox/). `payload`, `result` and `lastError` are JSON. */
@Table({ tableName: 'jobs' })
export class Job extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @Column(DataType.STRING(64))
  declare name: string;

  @Column(DataType.STRING(32))
  declare queue: JobQueueName;

  @Column(DataType.TEXT)
  declare payload: string;

  @Column(DataType.STRING(191))
  declare dedupeKey: string | null;

  @Column(DataType.STRING(16))
  declare status: JobStatus;

  @Column(DataType.INTEGER.UNSIGNED)
  declare attempt: number;

  @Column(DataType.INTEGER.UNSIGNED)
  declare maxAttempt: number;

  @Column(DataType.DATE(3))
  declare availableAt: Date;

  @Column(DataType.DATE(3))
  declare leaseUntil: Date | null;

  /** When the sweep relays the row (again) if nobody has taken it up. */
  @Column(DataType.DATE(3))
  declare relayAt: Date;

  @Column(DataType.TEXT)
  declare result: string | null;

  @Column(DataType.TEXT)
  declare lastError: string | null;

  @Column(DataType.DATE(3))
  declare startedAt: Date | null;

  @Column(DataType.DATE(3))
  declare endedAt: Date | null;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
