import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Config } from '../config/env';
import type { RedisQueueName } from '../config/queues';
import type { Clock } from './engine/clock';
import { DatabaseClock, installationWork, openDatabase, pooledSql, type Recorded, unitOfWork } from './engine/db';
import { EventSignals, FeedWaits } from './engine/events';
import { FairSlots } from './engine/fair';
import type { Services } from './services';
import { checkStoreIdentity, confirmStore, guardedStore, openFileStore, StoreCheck } from './engine/files';
import { IdempotencyUsage } from './engine/idempotency';
import type { Logger } from './engine/log';
import { jobContracts } from './jobContracts';
import { recipientsPerDay } from './limits';
import { models } from './models';
import { JobEndHints, JobEnds, JobQueues, KnownPauses, Outbox, readJobEnds } from './engine/jobs';
import { RedisConnections } from './engine/redis';
import { Replica, type ReplicaParts } from './engine/replica';
import { SecretBox } from './engine/secrets';
import { SlowRenders, WaitedRenders } from './renders';
import { wakeEndpoint } from './webhooks';

export interface ServicesOptions {
  config: Config;
  log: Logger;
  clock?: Clock;
  /** The queues whose jobs this process waits for. */
  listenTo: readonly RedisQueueName[];
}

/** A bucket does not turn into an empty folder, as an unmounted volume does: `/readyz` and writes need no request each. */
const BUCKET_TRUSTED_MS = 3_000;

/** Opens the replica, if there is one. Like all pools it connects when it is first used, so a worker never does. */
function openReplica(config: Config, parts: Omit<ReplicaParts, 'replica' | 'close'>): Replica | null {
  if (config.databaseReadUrl === null) return null;
  const sequelize = openDatabase({ ...config, databaseUrl: config.databaseReadUrl }, []);
  return new Replica({ ...parts, replica: pooledSql(sequelize), close: () => sequelize.close() });
}

/** Opens connections lazily: a process starts, and recovers by itself, also while MySQL or Redis is down. */
export function openServices({ config, log, clock: given, listenTo }: ServicesOptions): Services {
  const databaseClock = new DatabaseClock(log);
  const clock = given ?? databaseClock;
  const sequelize = openDatabase(config, models, databaseClock);
  const redis = new RedisConnections(config.redisUrl, log);
  const queues = new JobQueues(redis.connect('producer'), config.queuePrefixes, log);
  const jobEndHints = new JobEndHints(listenTo, redis, config.queuePrefixes, log);
  const outbox = new Outbox(sequelize, queues, clock, log);
  const sql = pooledSql(sequelize);
  const replica = openReplica(config, { primary: sql, redis: queues.redis, prefix: config.redisPrefix, log });
  const stopFollowing = databaseClock.follow(sql);
  const store = openFileStore(config.files);
  const eventSignals = new EventSignals(queues.redis, redis, config.redisPrefix, log);
  const committed = ({ recordedJobs, recordedEvents, dueEndpoints }: Recorded): void => {
    for (const job of recordedJobs) void outbox.relay(job);
    if (recordedEvents.length > 0) eventSignals.recorded();
    for (const endpoint of dueEndpoints) void wakeEndpoint({ queues, log }, endpoint, `changed-${randomUUID()}`);
  };
  const performForInstallation: Services['performForInstallation'] = (actor, work, meter) =>
    installationWork(sequelize, clock, actor, work, committed, meter);
  const storeCheck = new StoreCheck(
    {
      identify: () => checkStoreIdentity(sql, store, (work) => performForInstallation('file-store', work)),
      confirm: (storeId) => confirmStore(store, storeId),
    },
    log,
    config.files.store === 's3' ? BUCKET_TRUSTED_MS : 0,
  );
  const idempotencyUsage = new IdempotencyUsage(sql, clock, config.stored, log);
  return {
    config,
    clock,
    databaseClock,
    log,
    sequelize,
    sql,
    replica,
    files: guardedStore(store, storeCheck),
    storeCheck,
    secrets: new SecretBox(config.secretsKeys),
    drawing: new FairSlots({ what: 'logos', slots: 2, places: 66, share: 1 / 2 }),
    redis,
    queues,
    jobEndHints,
    waitedRenders: new WaitedRenders(),
    slowRenders: new SlowRenders(queues.redis, config.redisPrefix, log),
    jobEnds: new JobEnds(jobEndHints, (jobIds) => readJobEnds(sql, jobIds), log),
    outbox,
    eventSignals,
    idempotencyUsage,
    recipients: recipientsPerDay(config, queues.redis),
    feedWaits: new FeedWaits(sql, eventSignals, log),
    pauses: new KnownPauses(sql, jobContracts, clock),
    jobContracts,
    renderings: new LRUCache({ max: 10_000 }),
    perform: (scope, work) => unitOfWork(sequelize, clock, scope, work, committed),
    performForInstallation,
    close: async () => {
      stopFollowing();
      await idempotencyUsage.close();
      eventSignals.close();
      await Promise.allSettled([queues.close(), jobEndHints.close(), sequelize.close(), replica?.close()]);
      redis.close();
    },
  };
}
