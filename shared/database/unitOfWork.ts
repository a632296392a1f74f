import { setTimeout } from 'node:timers/promises';
import type { Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { JobQueueName } from '../../config/queues';
import type { Clock } from '../clock';
import { ServiceUnavailable } from '../errors';
import { isConnectionLoss, isDeadlock } from './databaseErrors';
import { transactionSql, type Sql } from './sql';

/** Who acts for which company: the tenant of everything that a use-case touches, and the actor of its events. */
export interface Scope {
  companyId: number;
  /** `api-key:12`, `job:sendInvoiceEmail`, `cli` … */
  actor: string;
}

/** What a use-case gets: one transaction of one company, and the one moment at which all of it happens. */
export interface UnitOfWork extends Scope {
  readonly now: Date;
  readonly transaction: Transaction;
  readonly sql: Sql;
  /** Jobs that were recorded in this transaction (see outbox/); they are relayed to their queues after the commit. */
  readonly recordedJobs: JobRef[];
}

/** A recorded job: what the relay needs to know of its row. */
export interface JobRef {
  companyId: number;
  id: number;
  name: string;
  queue: JobQueueName;
  availableAt: Date;
}

const MAX_TRIES = 5;

/**
 * Runs `work` in one transaction and commits. On a deadlock or a lock time-out the whole transaction is tried again, so
 * `work` does nothing outside of MySQL. `committed` is called once, with the jobs to relay.
 * @throws {ServiceUnavailable} when MySQL cannot be reached; whatever `work` throws, after a rollback.
 */
export async function unitOfWork<T>(
  sequelize: Sequelize,
  clock: Clock,
  scope: Scope,
  work: (uow: UnitOfWork) => Promise<T>,
  committed: (jobs: readonly JobRef[]) => void = () => undefined,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const recordedJobs: JobRef[] = [];
    try {
      const result = await sequelize.transaction((transaction) =>
        work({
          ...scope,
          now: clock.now(),
          transaction,
          sql: transactionSql(transaction),
          recordedJobs,
        }),
      );
      committed(recordedJobs);
      return result;
    } catch (error) {
      if (isDeadlock(error) && tries < MAX_TRIES) {
        // By chance, so that rivals do not meet again.
        await setTimeout(Math.random() * 20 * tries);
        continue;
      }
      if (isConnectionLoss(error)) throw new ServiceUnavailable('the database', error);
      throw error;
    }
  }
}
