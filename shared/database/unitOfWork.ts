import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
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
  /**
   * What use-cases of this process have read before, by a key of their own. It may be outdated: a statement that relies on it
   * names the version that it was read from.
   */
  readonly remembered: Memory;
}

export type Memory = LRUCache<string, object>;

/** Thrown by work that has found its own ground gone: the transaction is rolled back and tried again, as after a deadlock. */
export class StartAgain extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'StartAgain';
  }
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

const memories = new WeakMap<Sequelize, Memory>();

/**
 * Runs `work` in one transaction and commits. On a deadlock, a lock time-out or {@link StartAgain} the whole transaction is
 * tried again, so `work` does nothing outside of MySQL. `committed` is called once, with the jobs to relay.
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
          remembered: memoryOf(sequelize),
        }),
      );
      committed(recordedJobs);
      return result;
    } catch (error) {
      if ((isDeadlock(error) || error instanceof StartAgain) && tries < MAX_TRIES) {
        // By chance, so that rivals do not meet again.
        await setTimeout(Math.random() * 20 * tries);
        continue;
      }
      if (isConnectionLoss(error)) throw new ServiceUnavailable('the database', error);
      throw error;
    }
  }
}

/** As long as the connections that it was read by. */
function memoryOf(sequelize: Sequelize): Memory {
  const memory = memories.get(sequelize) ?? new LRUCache<string, object>({ max: 10_000 });
  memories.set(sequelize, memory);
  return memory;
}
