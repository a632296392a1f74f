import { LRUCache } from 'lru-cache';
import type { Sequelize } from 'sequelize-typescript';
import type { Config } from '../config/env';
import type { QueueName } from '../config/queues';
import { systemClock, type Clock } from './clock';
import { openDatabase } from './database/sequelize';
import { pooledSql, type Sql } from './database/sql';
import { unitOfWork, type Scope, type UnitOfWork } from './database/unitOfWork';
import type { FileStore } from './files/FileStore';
import { openFileStore } from './files/openFileStore';
import { StoreCheck } from './files/StoreCheck';
import { checkStoreIdentity } from './files/storeIdentity';
import type { Logger } from './log';
import { Outbox } from './outbox/Outbox';
import { JobEndings } from './queues/JobEndings';
import { JobQueues } from './queues/JobQueues';
import { connectRedis } from './queues/redisConnection';

/** What both processes stand on, opened once at boot and handed down; nothing else is global. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sequelize: Sequelize;
  /** Statements outside of a transaction: the hot reads. */
  readonly sql: Sql;
  readonly files: FileStore;
  /** That `files` is the store which the other processes see. */
  readonly storeCheck: StoreCheck;
  readonly queues: JobQueues;
  readonly endings: JobEndings;
  readonly outbox: Outbox;
  /** Keys of renderings by the version of what they show, so that a repeated download loads one row. */
  readonly documentKeys: LRUCache<string, string>;
  /** Runs a use-case in one transaction ({@link unitOfWork}) and, after the commit, relays the jobs that it recorded. */
  perform<T>(scope: Scope, work: (uow: UnitOfWork) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ServicesOptions {
  config: Config;
  log: Logger;
  clock?: Clock;
  /** The queues whose endings this process waits for. */
  listenTo: readonly QueueName[];
}

/** Opens connections lazily: a process starts, and recovers by itself, also while MySQL or Redis is down. */
export function openServices({ config, log, clock = systemClock, listenTo }: ServicesOptions): Services {
  const sequelize = openDatabase(config);
  const queues = new JobQueues(connectRedis(config.redisUrl, 'producer', log), config.redisPrefix, log);
  const endings = new JobEndings(
    listenTo,
    () => connectRedis(config.redisUrl, 'blocking', log),
    config.redisPrefix,
    log,
  );
  const outbox = new Outbox(sequelize, queues, clock, log);
  const sql = pooledSql(sequelize);
  const files = openFileStore(config.files);
  const perform: Services['perform'] = (scope, work) =>
    unitOfWork(sequelize, clock, scope, work, (jobs) => jobs.forEach((job) => void outbox.relay(job)));
  const nobody = { companyId: 0, actor: 'file-store' };
  return {
    config,
    clock,
    log,
    sequelize,
    sql,
    files,
    storeCheck: new StoreCheck(() => checkStoreIdentity(sql, files, (work) => perform(nobody, work)), log),
    queues,
    endings,
    outbox,
    documentKeys: new LRUCache({ max: 10_000 }),
    perform,
    close: async () => {
      await Promise.allSettled([queues.close(), endings.close(), sequelize.close()]);
    },
  };
}
