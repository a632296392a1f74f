import { setTimeout as sleep } from 'node:timers/promises';
import { findGalera, GaleraServers, isolate } from '../../installation/GaleraServers';
import { MysqlProxy } from '../../installation/MysqlProxy';
import type { MysqlNode } from '../../installation/MysqlServers';
import { untilTrue } from '../../installation/waiting';
import { engine, type Servers } from '../Engine';
import { failover, recoversWithin, untilReplaced, whyNoHaproxy, writerOf } from '../failover';

export const noGalera = 'this machine has no library of Galera (on Debian: apt-get install galera-4)';

interface Galera extends Servers {
  readonly servers: GaleraServers;
  readonly proxy: MysqlProxy;
}

export const galera = engine<Galera>({
  name: 'galera',
  what: 'a Galera cluster of three MariaDB servers, of which HAProxy lets one write',
  recoversWithin,
  impossible: async (log) => (await whyNoHaproxy(log)) ?? (findGalera() === undefined ? noGalera : null),
  start: async (dataDir, log) => {
    const servers = await GaleraServers.start(dataDir, log);
    const proxy = await MysqlProxy.start(dataDir, servers.nodes);
    return {
      servers,
      proxy,
      isWhole: async () => (await servers.isWhole()) && (await proxy.writer()) !== undefined,
      stop: async () => {
        await proxy.stop();
        await servers.stop();
      },
    };
  },
  settings: ({ proxy }) => ({ databaseUrl: proxy.url }),
  faults: {
    killed: failover({
      what: 'kill -9 of the server that writes; it comes back 5 s after another one has taken over',
      hit: async ({ proxy }) => {
        const writer = await writerOf(proxy);
        await writer.kill();
        await untilReplaced(proxy, writer);
        return async () => {
          // Systemd waits as well: a server that restarts before the others have dropped it disturbs them.
          await sleep(5_000);
          await writer.start();
        };
      },
    }),
    silent: failover({
      what: 'the server that writes is frozen until another one writes, and 5 s longer',
      hit: async ({ proxy }) => {
        const writer = await writerOf(proxy);
        writer.signal('SIGSTOP');
        await untilReplaced(proxy, writer);
        return async () => {
          await sleep(5_000);
          writer.signal('SIGCONT');
        };
      },
    }),
    cut: failover({
      what: 'the server that writes is cut off from the other two, but not from its clients, until another one writes, and 5 s longer',
      hit: async ({ proxy }) => {
        const writer = await writerOf(proxy);
        await isolate(writer, true);
        await untilReplaced(proxy, writer);
        return async () => {
          await sleep(5_000);
          await isolate(writer, false);
        };
      },
    }),
    restarts: failover({
      what: 'every server is stopped and started again, one after the other',
      spreadMs: { full: 20_000, quick: 8_000 },
      hit: async ({ servers, proxy }) => {
        const restart = async (node: MysqlNode): Promise<void> => {
          await node.stop();
          await untilReplaced(proxy, node);
          await node.start();
          await untilTrue('the servers are whole', () => servers.isWhole());
        };
        for (const node of servers.nodes) await restart(node);
      },
    }),
  },
});
