import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../faults/Fault';
import { createInvoice, createLink, downloadPdf, sendEmail } from '../faults/operations/kinds';
import { playStrike } from '../faults/playStrike';
import { startRedisCluster, startRedisSentinels, type RedisServers } from '../installation/RedisServers';
import { untilTrue } from '../installation/untilTrue';

/** What several servers do together, each of which may fail. */
export const engines = {
  'redis-cluster': { start: startRedisCluster, what: 'a Redis Cluster of three primaries and three replicas' },
  'redis-sentinel': { start: startRedisSentinels, what: 'a Redis with two replicas and three Sentinels' },
} as const;
export type Engine = keyof typeof engines;

/** A fault of an engine's servers. */
export interface Row {
  readonly name: string;
  readonly what: string;
  readonly engine: Engine;
  /** Returns the fault as it is played on these servers. */
  on(servers: RedisServers): Fault;
}

/** Seconds from the new primary until everything works. */
const recoversWithin = 15;

type Hit = (servers: RedisServers, key: string) => Promise<(() => Promise<void>) | void>;

/** Waits until a server other than `lost` is the primary. */
async function untilReplaced(servers: RedisServers, key: string, lost: unknown): Promise<void> {
  await untilTrue('there is a new primary', async () => {
    const primary = await servers.primaryOf(key);
    return primary !== undefined && primary !== lost;
  });
}

const hits: Record<string, { what: string; hit: Hit }> = {
  killed: {
    what: 'kill -9 of the primary that has the e-mails; it comes back when a replica has taken over',
    hit: async (servers, key) => {
      const primary = await servers.primaryOf(key);
      await primary?.kill();
      await untilReplaced(servers, key, primary);
      return () => primary?.start() ?? Promise.resolve();
    },
  },
  silent: {
    what: 'the primary that has the e-mails is frozen, as behind a network that is cut, until a replica has taken over and 5 s longer',
    hit: async (servers, key) => {
      const primary = await servers.primaryOf(key);
      primary?.signal('SIGSTOP');
      await untilReplaced(servers, key, primary);
      return async () => {
        await sleep(5_000);
        primary?.signal('SIGCONT');
      };
    },
  },
  'fail-over': {
    what: 'a replica takes over from the living primary that has the e-mails, as before maintenance',
    hit: async (servers, key) => {
      const primary = await servers.primaryOf(key);
      await servers.failOver(key);
      await untilReplaced(servers, key, primary);
    },
  },
  restarts: {
    what: 'every server is stopped and started again, one after the other',
    hit: async (servers, key) => {
      for (const node of servers.nodes) {
        await node.stop();
        await untilTrue('there is a primary', () => servers.primaryOf(key));
        await node.start();
        await untilTrue('the servers are whole', () => servers.isWhole());
      }
    },
  },
};

/** All rows, in the order in which they are played. */
export const rows: readonly Row[] = (Object.keys(engines) as Engine[]).flatMap((engine) =>
  Object.entries(hits).map(([kind, { what, hit }]) => ({
    name: `${engine}-${kind}`,
    what: `${engines[engine].what}: ${what}`,
    engine,
    on: (servers) => ({
      name: `${engine}-${kind}`,
      what,
      recoversWithin,
      play: (world, random, options) =>
        playStrike(world, random, options, {
          kinds: [createInvoice, sendEmail, createLink, downloadPdf],
          hit: ({ installation }) => {
            const key = `${installation.services.config.queuePrefixes.email}:email:meta`;
            return hit(servers, key);
          },
        }),
    }),
  })),
);
