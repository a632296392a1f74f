import { setTimeout as sleep } from 'node:timers/promises';
import { MysqlProxy } from '../../installation/MysqlProxy';
import { Replication } from '../../installation/MysqlServers';
import { untilTrue } from '../../installation/waiting';
import { MAX_LAG_MS } from '../../../shared/engine/replica';
import { engine, type Servers } from '../Engine';
import { failover, recoversWithin, untilReplaced, whyNoHaproxy } from '../failover';
import { noneFailed } from '../../faults/calls';

interface SemiSync extends Servers {
  readonly servers: Replication;
  readonly proxy: MysqlProxy;
}

export const semiSync = engine<SemiSync>({
  name: 'semi-sync',
  what: 'a MariaDB primary with a semi-synchronous replica, which is read as well, behind HAProxy',
  recoversWithin,
  impossible: whyNoHaproxy,
  start: async (dataDir, log) => {
    const servers = await Replication.start(dataDir, log);
    const proxy = await MysqlProxy.start(dataDir, [servers.primary, servers.replica]);
    return {
      servers,
      proxy,
      isWhole: async () => (await servers.isWhole()) && (await proxy.writer()) === servers.primary,
      stop: async () => {
        await proxy.stop();
        await servers.stop();
      },
    };
  },
  settings: ({ proxy }) => ({ databaseUrl: proxy.url, variables: { DATABASE_READ_URL: proxy.replicaUrl } }),
  faults: {
    killed: failover({
      what: 'kill -9 of the primary; the replica takes over, and then the old primary follows it',
      hit: async ({ servers, proxy }) => {
        const { primary } = servers;
        await untilTrue('commits wait for the replica', () => servers.isSafe());
        await primary.kill();
        await servers.failOver();
        await untilReplaced(proxy, primary);
        return async () => {
          await primary.start();
          await servers.follow();
        };
      },
    }),
    'hand-over': failover({
      what: 'the primary becomes read-only and the replica takes over, as before maintenance',
      hit: async ({ servers, proxy }) => {
        const { primary } = servers;
        await servers.handOver();
        await untilReplaced(proxy, primary);
        return () => servers.follow();
      },
    }),
    'replica-killed': failover({
      what: 'kill -9 of the replica while it is read; it comes back 5 s later; no request fails',
      hit: async ({ servers }) => {
        const { replica } = servers;
        await untilTrue('the replica is read', () => replica.isUsed());
        await replica.kill();
        return async () => {
          await sleep(5_000);
          await replica.start();
        };
      },
      // The replica takes part in reads alone.
      check: noneFailed,
    }),
    'replica-behind': failover({
      what: 'the replica applies nothing for 10 s while it is read; no request fails',
      spreadMs: { full: 15_000, quick: 15_000 },
      hit: async ({ servers }) => {
        const { replica } = servers;
        await untilTrue('the replica is read', () => replica.isUsed());
        await replica.ask('STOP SLAVE SQL_THREAD');
        return async () => {
          await sleep(2 * MAX_LAG_MS);
          await replica.ask('START SLAVE');
        };
      },
      check: noneFailed,
    }),
  },
});
