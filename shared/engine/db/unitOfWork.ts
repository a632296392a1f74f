import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { JobQueueName } from '../../../config/queues';
import type { Clock } from '../clock';
import { DatabaseUnavailable } from '../errors';
import { Turns, type WorkMeter } from '../fair';
import { insertRows, type NewRow } from './insert';
import { isClosedByServer, isConflict, isLockTimeout, isMisled, toDatabaseUnavailable } from './databaseErrors';
import { closeAtEnd } from './leanTransactions';
import { useMeter } from './meterConnection';
import { connectionOf, transactionSql, type Sql } from './sql';

/** Runs work in transactions of its own, and relays after the commit what it recorded. */
export interface Transactions {
  /** Runs a use-case in one transaction ({@link unitOfWork}). */
  perform<T>(context: WorkContext, work: (uow: UnitOfWork) => Promise<T> | T): Promise<T>;
  /** The same for work of no single company: the schedules, the clean-up, the file store. */
  performForInstallation<T>(
    actor: string,
    work: (work: InstallationWork) => Promise<T> | T,
    meter?: WorkMeter,
  ): Promise<T>;
}

/** The company whose records a use-case reads and writes, and the actor of its events. */
export interface WorkContext {
  companyId: number;
  /** `api-key:12`, `job:sendInvoiceEmail`, `cli` … */
  actor: string;
  /** A request waits for the jobs that the use-case records: they run before those that none waits for. */
  isWaitedFor?: boolean;
  /** The request from which the work follows; null or absent where there is none. */
  requestId?: string | null;
  /** Measures the work; absent where no fair queue charges for it. */
  meter?: WorkMeter;
}

/** One transaction, and the one timestamp of all its changes. */
interface Work extends Readonly<Required<Pick<WorkContext, 'actor' | 'requestId'>>> {
  readonly now: Date;
  readonly transaction: Transaction;
  readonly sql: Sql;
  /** Jobs that were recorded in this transaction ({@link recordJob}); they are relayed to their queues after the commit. */
  readonly recordedJobs: JobRef[];
  /** Events of this transaction: one statement writes them right before the commit. They are numbered after it. */
  readonly recordedEvents: NewRow[];
  /** Webhook endpoints for which there is something to do. They are reported to the workers after the commit. */
  readonly dueEndpoints: EndpointRef[];
  /**
   * Values cached by units of work of this process. They may be stale: a statement that relies on one checks the version that
   * was read.
   */
  readonly cache: Cache;
}

/** One transaction of one company, as use-cases receive it. */
export interface UnitOfWork extends Work, Readonly<Required<Pick<WorkContext, 'companyId' | 'isWaitedFor'>>> {}

/** One transaction of the installation as a whole: of the schedules, the clean-up, the command line. It has no company. */
export interface InstallationWork extends Work {
  /** The unit of work of one company in the same transaction. */
  forCompany(companyId: number): UnitOfWork;
}

export type Cache = LRUCache<string, object>;

/** Thrown by work that relied on a stale value: the transaction is rolled back and retried, as after a deadlock. */
export class RetryTransaction extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'RetryTransaction';
  }
}

/** A webhook endpoint. */
export interface EndpointRef {
  companyId: number;
  endpointId: number;
}

/** A recorded job: the columns of its row that the relay needs. */
export interface JobRef {
  companyId: number;
  id: number;
  name: string;
  queue: JobQueueName;
  availableAt: Date;
  /** A request waits for its end. Not stored: after a crash none does. */
  isWaitedFor: boolean;
  /** Of the request that recorded it, for the log. */
  requestId: string | null;
}

const MAX_TRIES = 5;
/** Lock time-outs after which the work fails: waiting occupies a connection. */
const MAX_LOCK_WAITS = 2;
const LONGEST_WAIT_FOR_TURN_MS = 5_000;

/** The state that units of work on one database share in this process. */
interface Shared {
  readonly cache: Cache;
  /** One company uses at most half of the connections, so others get one even while all of its changes wait for one lock. */
  readonly turns: Turns;
}

const sharedBy = new WeakMap<Sequelize, Shared>();

/** Stands for the installation where a company's id is expected; no company has the id 0. */
const INSTALLATION = 0;

/** What a committed transaction has recorded for other processes. */
export type Recorded = Pick<Work, 'recordedJobs' | 'recordedEvents' | 'dueEndpoints'>;

type Committed = (recorded: Recorded) => void;

/**
 * Runs `work` of one company in one transaction and commits. After a deadlock, a lock timeout or {@link RetryTransaction} the
 * whole transaction is retried, so `work` must do nothing outside of MySQL. `committed` is called exactly once, after the commit. At
 * most half of the pool's connections serve one company; further units of work of that company wait in line, without a
 * connection.
 * @throws {DatabaseUnavailable} when MySQL is unavailable or the retries are used up; whatever `work` throws, after a rollback.
 */
export function unitOfWork<T>(
  sequelize: Sequelize,
  clock: Clock,
  { companyId, actor, isWaitedFor = false, requestId = null, meter }: WorkContext,
  work: (uow: UnitOfWork) => Promise<T> | T,
  committed?: Committed,
): Promise<T> {
  const ofCompany = { companyId, actor, isWaitedFor, requestId };
  return transact(sequelize, clock, companyId, (base) => work({ ...base, ...ofCompany }), committed, meter);
}

/** Runs work of the installation as a whole in one transaction, as {@link unitOfWork} does for a company. */
export function installationWork<T>(
  sequelize: Sequelize,
  clock: Clock,
  actor: string,
  work: (work: InstallationWork) => Promise<T> | T,
  committed?: Committed,
  meter?: WorkMeter,
): Promise<T> {
  const ofInstallation = { actor, requestId: null, forCompany };
  return transact(sequelize, clock, INSTALLATION, (base) => work({ ...base, ...ofInstallation }), committed, meter);
}

function forCompany(this: InstallationWork, companyId: number): UnitOfWork {
  return { ...this, companyId, isWaitedFor: false };
}

async function transact<T>(
  sequelize: Sequelize,
  clock: Clock,
  turn: number,
  work: (base: Omit<Work, 'actor' | 'requestId'>) => Promise<T> | T,
  committed: Committed = () => undefined,
  meter: WorkMeter | null = null,
): Promise<T> {
  const { turns, cache } = sharedOf(sequelize);
  for (let tries = 1; ; tries++) {
    const recorded: Recorded = { recordedJobs: [], recordedEvents: [], dueEndpoints: [] };
    let begun = false;
    const once = (): Promise<T> =>
      sequelize.transaction(async (transaction) => {
        begun = true;
        useMeter(connectionOf(transaction), meter);
        meter?.resume();
        const sql = transactionSql(transaction);
        try {
          const result = await work({ now: clock.now(), transaction, sql, ...recorded, cache });
          await insertRows(sql, 'events', recorded.recordedEvents);
          return result;
        } catch (error) {
          if (isMisled(error)) closeAtEnd(connectionOf(transaction));
          throw error;
        }
      });
    try {
      meter?.lap();
      const result = await turns.run(turn, once);
      committed(recorded);
      return result;
    } catch (error) {
      if (tries >= maxTries(error, begun)) throw toFinalError(error);
      // A random delay, so that the transactions of a deadlock do not collide again.
      await setTimeout(Math.random() * 20 * tries);
    }
  }
}

function maxTries(error: unknown, begun: boolean): number {
  if (error instanceof RetryTransaction || isConflict(error) || isMisled(error)) return MAX_TRIES;
  if (isLockTimeout(error)) return MAX_LOCK_WAITS;
  // The server had closed the pooled connection before anything was sent.
  return !begun && isClosedByServer(error) ? 2 : 1;
}

function toFinalError(error: unknown): unknown {
  if (error instanceof RetryTransaction) return new DatabaseUnavailable('contended', error);
  return toDatabaseUnavailable(error) ?? error;
}

function sharedOf(sequelize: Sequelize): Shared {
  const known = sharedBy.get(sequelize);
  if (known !== undefined) return known;
  const perCompany = Math.max(1, Math.floor((sequelize.options.pool?.max ?? 2) / 2));
  const shared = {
    cache: new LRUCache<string, object>({ max: 10_000 }),
    turns: new Turns(perCompany, LONGEST_WAIT_FOR_TURN_MS, () => new DatabaseUnavailable('contended')),
  };
  sharedBy.set(sequelize, shared);
  return shared;
}
