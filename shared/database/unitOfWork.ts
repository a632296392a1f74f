import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { JobQueueName } from '../../config/queues';
import type { Clock } from '../clock';
import { DatabaseUnavailable } from '../errors';
import { isClosedByServer, isConflict, isLockTimeout, toDatabaseUnavailable } from './databaseErrors';
import { transactionSql, type Sql } from './sql';
import { Turns } from './Turns';

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
/** A lock that is held for longer than this many waits is left to a later request: waiting occupies a connection. */
const MAX_LOCK_WAITS = 2;
const LONGEST_WAIT_FOR_TURN_MS = 5_000;

/** What the units of work on one database share in this process. */
interface Shared {
  readonly remembered: Memory;
  /** Half of the connections for one company: where all of its changes wait for one lock, others still get a connection. */
  readonly turns: Turns;
}

const sharedBy = new WeakMap<Sequelize, Shared>();

/**
 * Runs `work` in one transaction and commits. After a deadlock, a lock time-out or {@link StartAgain} the whole transaction is
 * retried, so `work` does nothing outside of MySQL. `committed` is called once, with the jobs to relay. At most half of the
 * pool's connections serve one company; further units of work of that company wait in line, without a connection.
 * @throws {DatabaseUnavailable} when MySQL cannot do it now; whatever `work` throws, after a rollback.
 */
export async function unitOfWork<T>(
  sequelize: Sequelize,
  clock: Clock,
  scope: Scope,
  work: (uow: UnitOfWork) => Promise<T>,
  committed: (jobs: readonly JobRef[]) => void = () => undefined,
): Promise<T> {
  const { turns, remembered } = sharedOf(sequelize);
  for (let tries = 1; ; tries++) {
    const recordedJobs: JobRef[] = [];
    let begun = false;
    const transact = (): Promise<T> =>
      sequelize.transaction((transaction) => {
        begun = true;
        const sql = transactionSql(transaction);
        return work({ ...scope, now: clock.now(), transaction, sql, recordedJobs, remembered });
      });
    try {
      const result = await turns.run(scope.companyId, transact);
      committed(recordedJobs);
      return result;
    } catch (error) {
      if (tries >= maxTries(error, begun)) throw toFinalError(error);
      // By chance, so that rivals do not meet again.
      await setTimeout(Math.random() * 20 * tries);
    }
  }
}

function maxTries(error: unknown, begun: boolean): number {
  if (error instanceof StartAgain || isConflict(error)) return MAX_TRIES;
  if (isLockTimeout(error)) return MAX_LOCK_WAITS;
  // A pooled connection that the server had closed; nothing was sent on it.
  return !begun && isClosedByServer(error) ? 2 : 1;
}

function toFinalError(error: unknown): unknown {
  if (error instanceof StartAgain) return new DatabaseUnavailable('contended', error);
  return toDatabaseUnavailable(error) ?? error;
}

function sharedOf(sequelize: Sequelize): Shared {
  const known = sharedBy.get(sequelize);
  if (known !== undefined) return known;
  const perCompany = Math.max(1, Math.floor((sequelize.options.pool?.max ?? 2) / 2));
  const shared = {
    remembered: new LRUCache<string, object>({ max: 10_000 }),
    turns: new Turns(perCompany, LONGEST_WAIT_FOR_TURN_MS, () => new DatabaseUnavailable('contended')),
  };
  sharedBy.set(sequelize, shared);
  return shared;
}
