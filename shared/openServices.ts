import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Config } from '../config/env';
import type { RedisQueueName } from '../config/queues';
import type { Clock } from './kernel/clock';
import { DatabaseClock } from './kernel/database/DatabaseClock';
import { openDatabase } from './kernel/database/sequelize';
import { pooledSql } from './kernel/database/sql';
import { installationWork, unitOfWork, type Recorded } from './kernel/database/unitOfWork';
import { EventSignals } from './kernel/events/EventSignals';
import { FeedWaits } from './kernel/events/FeedWaits';
import type { Services } from './kernel/services';
import { GuardedFileStore } from './kernel/files/GuardedFileStore';
import { openFileStore } from './kernel/files/openFileStore';
import { StoreCheck } from './kernel/files/StoreCheck';
import { checkStoreIdentity, confirmStore } from './kernel/files/storeIdentity';
import type { Logger } from './kernel/log';
import { CompanyTurns } from './kernel/CompanyTurns';
import { jobContracts } from './jobContracts';
import { bullJobId, Outbox } from './kernel/jobs/Outbox';
import { KnownPauses } from './kernel/jobs/queuePauses';
import { JobEndings } from './kernel/queues/JobEndings';
import { JobEnds } from './kernel/queues/JobEnds';
import { JobQueues } from './kernel/queues/JobQueues';
import { RedisConnections } from './kernel/queues/RedisConnections';
import { RenderTurns } from './kernel/queues/RenderTurns';
import { SecretBox } from './kernel/secrets/SecretBox';
import { readJobEnds } from './kernel/jobs/getJob';
import { wakeEndpoint } from './webhooks';

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
  const redis = new RedisConnections(config.redisUrl, log);
  const queues = new JobQueues(redis.connect('producer'), config.redisPrefix, log);
  const endings = new JobEndings(listenTo, redis, config.redisPrefix, log);
  const outbox = new Outbox(sequelize, queues, clock, log);
  const sql = pooledSql(sequelize);
  const stopFollowing = databaseClock.follow(sql);
  const store = openFileStore(config.files);
  const eventSignals = new EventSignals(queues.redis, redis, config.redisPrefix, log);
  const committed = ({ jobs, events, endpoints }: Recorded): void => {
    for (const job of jobs) void outbox.relay(job);
    if (events.size > 0) eventSignals.recorded();
    for (const endpoint of endpoints) void wakeEndpoint({ queues, log }, endpoint, `changed-${randomUUID()}`);
  };
  const performForInstallation: Services['performForInstallation'] = (actor, work) =>
    installationWork(sequelize, clock, actor, work, committed);
  const storeCheck = new StoreCheck(
    {
      identify: () => checkStoreIdentity(sql, store, (work) => performForInstallation('file-store', work)),
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
    secrets: new SecretBox(config.secretsKeys),
    drawing: new CompanyTurns('logos', { concurrency: 2, waitingPerCompany: 16, waiting: 64 }),
    redis,
    queues,
    endings,
    renderTurns: new RenderTurns(queues.redis, config.redisPrefix, log),
    jobEnds: new JobEnds(endings, bullJobId, (jobIds) => readJobEnds(sql, jobIds), log),
    outbox,
    eventSignals,
    feedWaits: new FeedWaits(sql, eventSignals, log),
    pauses: new KnownPauses(sql, jobContracts, clock),
    jobContracts,
    renderings: new LRUCache({ max: 10_000 }),
    perform: (scope, work) => unitOfWork(sequelize, clock, scope, work, committed),
    performForInstallation,
    close: async () => {
      stopFollowing();
      eventSignals.close();
      await Promise.allSettled([queues.close(), endings.close(), sequelize.close()]);
    },
  };
}
