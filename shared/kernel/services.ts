import type { LRUCache } from 'lru-cache';
import type { Sequelize } from 'sequelize-typescript';
import type { Config } from '../../config/env';
import type { Clock } from './clock';
import type { CompanyTurns } from './CompanyTurns';
import type { DatabaseClock } from './database/DatabaseClock';
import type { Sql } from './database/sql';
import type { InstallationWork, Scope, UnitOfWork } from './database/unitOfWork';
import type { EventSignals } from './events/EventSignals';
import type { FeedWaits } from './events/FeedWaits';
import type { FileStore } from './files/FileStore';
import type { StoreCheck } from './files/StoreCheck';
import type { JobEnd } from './jobs/getJob';
import type { JobContracts } from './jobs/JobContract';
import type { Outbox } from './jobs/Outbox';
import type { KnownPauses } from './jobs/queuePauses';
import type { Logger } from './log';
import type { JobEndings } from './queues/JobEndings';
import type { JobEnds } from './queues/JobEnds';
import type { JobQueues } from './queues/JobQueues';
import type { RedisConnections } from './queues/RedisConnections';
import type { RenderTurns } from './queues/RenderTurns';
import type { SecretBox } from './secrets/SecretBox';

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
  /** Encrypts the secrets that the database holds. */
  readonly secrets: SecretBox;
  /** That `files` is the store which the other processes see. */
  readonly storeCheck: StoreCheck;
  /** Companies take turns in having logos drawn (`drawLogo`). */
  readonly drawing: CompanyTurns;
  readonly redis: RedisConnections;
  readonly queues: JobQueues;
  readonly endings: JobEndings;
  /** Which company's PDF is printed next. */
  readonly renderTurns: RenderTurns;
  readonly jobEnds: JobEnds<JobEnd>;
  readonly outbox: Outbox;
  /** Reports between processes that there are events to number, and that some were. */
  readonly eventSignals: EventSignals;
  /** Requests that wait for an event. */
  readonly feedWaits: FeedWaits;
  /** Whether waiting for a job is in vain, because an operator has paused a queue. */
  readonly pauses: KnownPauses;
  /** Every kind of job, for what handles jobs without knowing their kind. */
  readonly jobContracts: JobContracts;
  /** Renderings by the version of what they show, so that a repeated download loads one row. */
  readonly renderings: LRUCache<string, { documentKey: string; isLong: boolean }>;
  /** Runs a use-case in one transaction ({@link unitOfWork}) and, after the commit, relays the jobs that it recorded. */
  perform<T>(scope: Scope, work: (uow: UnitOfWork) => Promise<T>): Promise<T>;
  /** The same for work of no single company: the schedules, the clean-up, the file store. */
  performForInstallation<T>(actor: string, work: (work: InstallationWork) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
