import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../../faults/World';
import { startRedisCluster, startRedisSentinels, type RedisServers } from '../../installation/RedisServers';
import { untilTrue } from '../../installation/waiting';
import { engine, type EngineFault } from '../Engine';
import { failover, recoversWithin } from '../failover';

/** A key of the queue of e-mails. */
const keyOf = ({ installation }: World): string => `${installation.services.config.queuePrefixes.email}:email:meta`;

/** Waits until a server other than `lost` is the primary. */
async function untilReplaced(servers: RedisServers, key: string, lost: unknown): Promise<void> {
  await untilTrue('there is a new primary', async () => {
    const primary = await servers.primaryOf(key);
    return primary !== undefined && primary !== lost;
  });
}

const faults: Readonly<Record<string, EngineFault<RedisServers>>> = {
  killed: failover({
    what: 'kill -9 of the primary that has the e-mails; it comes back when a replica has taken over',
    hit: async (servers, world) => {
      const primary = await servers.primaryOf(keyOf(world));
      await primary?.kill();
      await untilReplaced(servers, keyOf(world), primary);
      return () => primary?.start() ?? Promise.resolve();
    },
  }),
  silent: failover({
    what: 'the primary that has the e-mails is frozen, as behind a network that is cut, until a replica has taken over and 5 s longer',
    hit: async (servers, world) => {
      const primary = await servers.primaryOf(keyOf(world));
      primary?.signal('SIGSTOP');
      await untilReplaced(servers, keyOf(world), primary);
      return async () => {
        await sleep(5_000);
        primary?.signal('SIGCONT');
      };
    },
  }),
  'fail-over': failover({
    what: 'a replica takes over from the living primary that has the e-mails, as before maintenance',
    hit: async (servers, world) => {
      const primary = await servers.primaryOf(keyOf(world));
      await servers.failOver(keyOf(world));
      await untilReplaced(servers, keyOf(world), primary);
    },
  }),
  restarts: failover({
    what: 'every server is stopped and started again, one after the other',
    hit: async (servers, world) => {
      for (const node of servers.nodes) {
        await node.stop();
        await untilTrue('there is a primary', () => servers.primaryOf(keyOf(world)));
        await node.start();
        await untilTrue('the servers are whole', () => servers.isWhole());
      }
    },
  }),
};

/** Every installation needs Redis. */
const impossible = (): Promise<null> => Promise.resolve(null);
const settings = ({ url }: RedisServers): { redisUrl: string } => ({ redisUrl: url });

export const redisCluster = engine({
  name: 'redis-cluster',
  what: 'a Redis Cluster of three primaries and three replicas',
  recoversWithin,
  impossible,
  start: startRedisCluster,
  settings,
  faults,
});

export const redisSentinel = engine({
  name: 'redis-sentinel',
  what: 'a Redis with two replicas and three Sentinels',
  recoversWithin,
  impossible,
  start: startRedisSentinels,
  settings,
  faults,
});
