import { whyNoCeph } from '../../installation/CephBucket';
import { findGalera } from '../../installation/GaleraServers';
import { engine } from '../Engine';
import { noGalera } from './galera';
import { GrowingServers } from './GrowingServers';
import { whyNoHaproxy } from './haproxy';
import { playGrowth } from './playGrowth';

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
