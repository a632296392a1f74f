import type { LRUCache } from 'lru-cache';
import type { Sequelize } from 'sequelize-typescript';
import type { Config } from '../config/env';
import type { Clock } from './engine/clock';
import type { DatabaseClock, Sql, Transactions } from './engine/db';
import type { EventSignals, FeedWaits } from './engine/events';
import type { FairSlots } from './engine/fair';
import type { FileStore, StoreCheck } from './engine/files';
import type { IdempotencyUsage } from './engine/idempotency';
import type { JobContracts, JobEnd, JobEndHints, JobEnds, JobQueues, KnownPauses, Outbox } from './engine/jobs';
import type { Logger } from './engine/log';
import type { RedisConnections } from './engine/redis';
import type { Replica } from './engine/replica';
import type { SecretBox } from './engine/secrets';
import type { CompanyRate } from './limits';
import type { SlowRenders, WaitedRenders } from './renders';

/** What both processes stand on, opened once at boot and handed down; nothing else is global. */
export interface Services extends Transactions {
  readonly config: Config;
  /** MySQL's, unless another was given: one clock decides what is due, whatever the machines' own clocks say. */
  readonly clock: Clock;
  readonly databaseClock: DatabaseClock;
  readonly log: Logger;
  readonly sequelize: Sequelize;
  /** Statements outside of a transaction: the hot reads. */
  readonly sql: Sql;
  /** A replica for reads that need not be current; null where none is configured. */
  readonly replica: Replica | null;
  readonly files: FileStore;
  /** Encrypts the secrets that the database holds. */
  readonly secrets: SecretBox;
  /** That `files` is the store which the other processes see. */
  readonly storeCheck: StoreCheck;
  /** The slots in which logos are drawn (`drawLogo`). */
  readonly drawing: FairSlots;
  readonly redis: RedisConnections;
  readonly queues: JobQueues;
  readonly jobEndHints: JobEndHints;
  readonly waitedRenders: WaitedRenders;
  readonly slowRenders: SlowRenders;
  readonly jobEnds: JobEnds<JobEnd>;
  readonly outbox: Outbox;
  /** Reports between processes that there are events to number, and that some were. */
  readonly eventSignals: EventSignals;
  /** How much the idempotency keys of each company take. */
  readonly idempotencyUsage: IdempotencyUsage;
  /** Recipients of a company's e-mails in 24 hours; null for no limit. */
  readonly recipients: CompanyRate | null;
  /** Requests that wait for an event. */
  readonly feedWaits: FeedWaits;
  /** Whether waiting for a job is in vain, because an operator has paused a queue. */
  readonly pauses: KnownPauses;
  /** Every kind of job, for what handles jobs without knowing their kind. */
  readonly jobContracts: JobContracts;
  /** Renderings by the version of what they show, so that a repeated download loads one row. */
  readonly renderings: LRUCache<string, { documentKey: string; isLong: boolean }>;
  close(): Promise<void>;
}
