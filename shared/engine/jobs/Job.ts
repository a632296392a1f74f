import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Count, KeyId, NewKeyId, Text, Timestamp } from '../db';
import type { JobQueueName } from '../../../config/queues';
import type { JobStatus } from './jobStates';

/** A recorded effect and its state. `payload`, `result` and `lastError` are JSON. */
@Table({ tableName: 'jobs' })
export class Job extends Model<InferAttributes<Job>, InferCreationAttributes<Job>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Text(64) declare name: string;
  @Text(32) declare queue: JobQueueName;
  @Text() declare payload: string;
  @Text(191) declare dedupeKey: string | null;
  @Text(16) declare status: JobStatus;
  /** Raised by each claim: the fencing token of a run. A run with a lower number can no longer record anything. */
  @Count declare attempt: number;
  /** Runs that do not count as attempts: deferrals, and all runs before the last retry by an operator. */
  @Count declare uncounted: CreationOptional<number>;
  /** How many attempts may fail. */
  @Count declare maxAttempt: number;
  @Timestamp declare availableAt: Date;
  @Timestamp declare leaseUntil: Date | null;
  /** When the row is relayed (again) if no worker has claimed it by then. */
  @Timestamp declare relayAt: Date;
  @Text() declare result: string | null;
  @Text() declare lastError: string | null;
  /** The code in `lastError`. */
  @Text(64) declare errorCode: CreationOptional<string | null>;
  @Timestamp declare startedAt: Date | null;
  @Timestamp declare endedAt: Date | null;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
  /** The id of the request that recorded the job. */
  @Text(128) declare requestId: CreationOptional<string | null>;
  /** The trace context of the recording request, which the runs continue. */
  @Text(64) declare traceparent: CreationOptional<string | null>;
}
