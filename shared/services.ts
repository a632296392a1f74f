import { LRUCache } from 'lru-cache';
import type { Sequelize } from 'sequelize-typescript';
import type { Config } from '../config/env';
import type { RedisQueueName } from '../config/queues';
import type { Clock } from './clock';
import { DatabaseClock } from './database/DatabaseClock';
import { openDatabase } from './database/sequelize';
import { pooledSql, type Sql } from './database/sql';
import { unitOfWork, type Scope, type UnitOfWork } from './database/unitOfWork';
import type { FileStore } from './files/FileStore';
import { GuardedFileStore } from './files/GuardedFileStore';
import { openFileStore } from './files/openFileStore';
import { StoreCheck } from './files/StoreCheck';
import { checkStoreIdentity, confirmStore } from './files/storeIdentity';
import type { Logger } from './log';
import { Turns } from './logos/Turns';
import { bullJobId, Outbox } from './outbox/Outbox';
import type { RenderInvoicePdf } from './jobs/renderInvoicePdf';
import { JobEndings } from './queues/JobEndings';
import { JobEnds } from './queues/JobEnds';
import { JobQueues } from './queues/JobQueues';
import { connectRedis } from './queues/redisConnection';
import { RenderTurns } from './queues/RenderTurns';
import { readJobEnds, type JobEnd } from './usecases/jobs/getJob';

/** What both processes stand on, opened once at boot and handed down; nothing else is global. */
export interface Services {
  readonly config: Config;
  /** MySQL's, unless another was given: one clock decides what is due, whatever the machines' own clocks say. */
  readonly clock: Clock;
  readonly databaseClock: DatabaseClock;
  readonly log: Logger;
  readonly sequelize: Sequelize;
  /** Statements outside of a transaction: the hot reads. */
  readonly sql: Sql;
  readonly files: FileStore;
  /** That `files` is the store which the other processes see. */
  readonly storeCheck: StoreCheck;
  /** Companies take turns in having logos drawn ({@link drawLogo}). */
  readonly drawing: Turns;
  readonly queues: JobQueues;
  readonly endings: JobEndings;
  /** Which company's PDF is printed next. */
  readonly renderTurns: RenderTurns;
  readonly jobEnds: JobEnds<JobEnd>;
  readonly outbox: Outbox;
  /** Renderings by the version of what they show, so that a repeated download loads one row. */
  readonly renderings: LRUCache<string, Pick<RenderInvoicePdf, 'documentKey' | 'isLong'>>;
  /** Runs a use-case in one transaction ({@link unitOfWork}) and, after the commit, relays the jobs that it recorded. */
  perform<T>(scope: Scope, work: (uow: UnitOfWork) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ServicesOptions {
  config: Config;
  log: Logger;
  clock?: Clock;
  /** The queues whose endings this process waits for. */
  listenTo: readonly RedisQueueName[];
}

/** A bucket does not turn into an empty folder, as an unmounted volume does: `/readyz` and writes need no request each. */
const BUCKET_TRUSTED_MS = 3_000;

/** Opens connections lazily: a process starts, and recovers by itself, also while MySQL or Redis is down. */
export function openServices({ config, log, clock: given, listenTo }: ServicesOptions): Services {
  const databaseClock = new DatabaseClock(log);
  const clock = given ?? databaseClock;
  const sequelize = openDatabase(config, databaseClock);
  const queues = new JobQueues(connectRedis(config.redisUrl, 'producer', log), config.redisPrefix, log);
  const endings = new JobEndings(
    listenTo,
    () => connectRedis(config.redisUrl, 'blocking', log),
    config.redisPrefix,
    log,
  );
  const outbox = new Outbox(sequelize, queues, clock, log);
  const sql = pooledSql(sequelize);
  const stopFollowing = databaseClock.follow(sql);
  const store = openFileStore(config.files);
  const perform: Services['perform'] = (scope, work) =>
    unitOfWork(sequelize, clock, scope, work, (jobs) => jobs.forEach((job) => void outbox.relay(job)));
  const nobody = { companyId: 0, actor: 'file-store' };
  const storeCheck = new StoreCheck(
    {
      identify: () => checkStoreIdentity(sql, store, (work) => perform(nobody, work)),
      confirm: (storeId) => confirmStore(store, storeId),
    },
    log,
    config.files.store === 's3' ? BUCKET_TRUSTED_MS : 0,
  );
  return {
    config,
    clock,
    databaseClock,
    log,
    sequelize,
    sql,
    files: new GuardedFileStore(store, storeCheck),
    storeCheck,
    drawing: new Turns('logos', { concurrency: 2, waitingPerCompany: 16, waiting: 64 }),
    queues,
    endings,
    renderTurns: new RenderTurns(queues.redis, config.redisPrefix, log),
    jobEnds: new JobEnds(endings, bullJobId, (jobIds) => readJobEnds(sql, jobIds), log),
    outbox,
    renderings: new LRUCache({ max: 10_000 }),
    perform,
    close: async () => {
      stopFollowing();
      await Promise.allSettled([queues.close(), endings.close(), sequelize.close()]);
    },
  };
}
