import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { loadConfig } from '../../../config/env';
import { type FileStore, openFileStore } from '../../../shared/engine/files';
import { pauseQueue, resumeQueue } from '../../../shared/engine/jobs';
import type { Round } from '../../faults/Fault';
import { compareLedgers } from '../../faults/ledger';
import { countEffects } from '../../faults/playStrike';
import type { Random } from '../../faults/Random';
import type { World } from '../../faults/World';
import type { Options } from '../../command/runProof';
import { startCephBucket, whyNoCeph } from '../../installation/CephBucket';
import type { Machine } from '../../../dev/installation/Machine';
import { MysqlProxy } from '../../installation/MysqlProxy';
import { startRedisCluster } from '../../installation/RedisServers';
import { untilTrue } from '../../installation/waiting';
import { GrowingServers } from './GrowingServers';
import { Walk } from './Walk';
import { findGalera } from '../../installation/GaleraServers';
import { engine } from '../Engine';
import { noGalera } from './galera';
import { whyNoHaproxy } from '../failover';

const nothing = (): Promise<void> => Promise.resolve();

/** Grows in the order of docs/scaling.md, with its variables and commands. */
async function playGrowth(servers: GrowingServers, world: World, _random: Random, { quick }: Options): Promise<Round> {
  const { services, apis, workers } = world.installation;
  const { sql, config } = services;
  const { log, dataDir, mysql, redis } = servers;
  const machines = [...apis, ...workers].map(({ machine }) => machine);
  const [api1, api2, pdf1, pdf2, rest1, rest2] = machines as Six;
  await Promise.all([api2, pdf1, pdf2, rest2].map((machine) => machine.stop()));
  const proxy = await servers.startApiProxy(apis.map(({ url }) => url));
  const behind = world.behind(proxy.url);
  const walk = new Walk({ log, world: behind, proxy, apis, everyMs: quick ? 120 : 60 });
  // Of two workers with the same queues one is replaced before the APIs, and one after them.
  const inTurn = [pdf1, rest1, api1, api2, rest2, pdf2];

  await walk.step('one of each', nothing);
  await walk.step('workers of pdf', async () => {
    for (const worker of [pdf1, pdf2]) await walk.replace(worker, { WORKER_QUEUES: 'pdf' });
  });
  await walk.step('workers of all other queues', async () => {
    const queues = { WORKER_QUEUES: 'email,payment-link,import,webhook,schedule' };
    const concurrency = { EMAIL_CONCURRENCY: '20', PAYMENT_LINK_CONCURRENCY: '20' };
    for (const worker of [rest2, rest1]) await walk.replace(worker, { ...queues, ...concurrency });
  });
  await walk.step('a second API', () => walk.replace(api2));

  const bucket = servers.add(await startCephBucket(dataDir));
  const copyNewFiles = copier(join(dataDir, 'files'), openFileStore(loadConfig(bucket.variables).files));
  await copyNewFiles();
  await walk.standstill('files in a bucket', async () => {
    await Promise.all(machines.map((machine) => machine.stop()));
    await copyNewFiles();
    walk.use(bucket.variables);
    await walk.startAll(machines);
  });

  await walk.standstill('a Galera cluster of one server', () => mysql.found());
  await walk.step('a Galera cluster of three servers behind HAProxy', async () => {
    await mysql.join();
    await mysql.join();
    const { url } = servers.add(await MysqlProxy.start(dataDir, mysql.nodes));
    walk.use({ DATABASE_URL: url });
    await walk.replaceInTurn(inTurn);
  });
  await walk.step('reads at another server', async () => {
    const [, , third] = mysql.nodes as Three<GrowingServers['mysql']['nodes'][number]>;
    walk.use({ DATABASE_READ_URL: third.databaseUrl() });
    await walk.replaceInTurn([api1, api2]);
    await untilTrue('the other server is read', () => third.isUsed());
  });

  // E-mails that are requested from now on have entries in the old Redis alone.
  await pauseQueue(sql, 'email');
  const { url } = servers.add(await startRedisCluster(dataDir, log));
  await walk.step('a Redis Cluster', async () => {
    walk.use({ REDIS_URL: url });
    await walk.replaceInTurn(inTurn);
  });
  const left = (await redis.ask('KEYS', `${config.queuePrefixes.email}:email:job-*`)) as string[];
  log(`    ${left.length} e-mails are in the old Redis alone, which is stopped`);
  await redis.stop();
  await resumeQueue(sql, 'email');
  await walk.step('all of it', nothing);

  return {
    ...(await countEffects(behind, walk.results)),
    recoverySeconds: walk.longestStandstill,
    problems: [
      ...walk.problems,
      ...(left.length === 0 ? ['no job was left behind in the old Redis'] : []),
      ...machines.flatMap(({ deaths }) => deaths.splice(0)),
      ...(await compareLedgers(behind)),
    ],
  };
}

type Three<T> = [T, T, T];
type Six = [Machine, Machine, Machine, Machine, Machine, Machine];

/** Returns a function that copies the new files of a folder, with their paths. */
function copier(folder: string, store: FileStore): () => Promise<void> {
  const copied = new Set<string>();
  return async () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of files) {
      const path = join(parentPath, name);
      const key = relative(folder, path);
      if (key.startsWith('tmp/') || copied.has(key)) continue;
      await store.putFile(key, path);
      copied.add(key);
    }
  };
}

export const grow = engine<GrowingServers>({
  name: 'grow',
  what: 'one API, one worker, one MariaDB, one Redis and a folder of files',
  // Of the two steps at which the service stands still.
  recoversWithin: 120,
  impossible: async (log) =>
    (await whyNoHaproxy(log)) ?? (findGalera() === undefined ? noGalera : null) ?? (await whyNoCeph(log)),
  start: (dataDir, log) => GrowingServers.start(dataDir, log),
  settings: ({ mysql, redis }) => ({
    apis: 2,
    workers: 4,
    databaseUrl: mysql.nodes[0]?.databaseUrl() ?? '',
    redisUrl: redis.url,
    variables: { TRUST_PROXY: 'true' },
  }),
  faults: {
    'step-by-step': {
      what: 'under load they become two APIs and four workers on a Galera cluster, a Redis Cluster and a bucket, as docs/scaling.md says',
      isPlayedOnce: true,
      play: (servers) => (world, random, options) => playGrowth(servers, world, random, options),
    },
  },
});
