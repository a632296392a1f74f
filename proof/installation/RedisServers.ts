import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../dev/servers/freePort';
import { startPrivateRedis } from '../../dev/servers/privateRedis';
import { DataServer } from '../../dev/installation/DataServer';
import { untilTrue } from './waiting';

/** The password of temporary servers on loopback. */
const password = 'loopback';

/** A Redis server that keeps its port. */
export class RedisNode extends DataServer {
  static async open(dataDir: string, args: readonly string[], log: (line: string) => void): Promise<RedisNode> {
    const port = await freePort();
    const node = new RedisNode(() => startPrivateRedis({ dataDir, durable: true, log, args, password, port }));
    await node.start();
    return node;
  }

  /** Sends one command. @throws {Error} of the connection or the reply. */
  async ask(command: string, ...args: (string | number)[]): Promise<unknown> {
    const redis = new Redis(this.url, {
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      enableReadyCheck: false,
      connectTimeout: 3_000,
      commandTimeout: 3_000,
    });
    // The command rejects with the same error.
    redis.on('error', () => undefined);
    try {
      return await redis.call(command, ...args);
    } finally {
      redis.disconnect();
    }
  }
}

/** Servers with failover. */
export interface RedisServers {
  /** For REDIS_URL. */
  readonly url: string;
  readonly nodes: readonly RedisNode[];
  /** Never resolves, see {@link DataServer}. */
  readonly ended: Promise<string>;
  /** Returns the current primary of a key; undefined while there is none. */
  primaryOf(key: string): Promise<RedisNode | undefined>;
  /** Promotes a replica of the primary of a key. */
  failOver(key: string): Promise<void>;
  /** Tests whether every server runs, and every replica is connected to its primary. */
  isWhole(): Promise<boolean>;
  stop(): Promise<void>;
}

const never = new Promise<string>(() => undefined);

/** Starts a Redis Cluster of three primaries, each with a replica. */
export async function startRedisCluster(dataDir: string, log: (line: string) => void): Promise<RedisServers> {
  const open = async (name: string): Promise<RedisNode> => {
    const options = { 'cluster-enabled': 'yes', 'cluster-node-timeout': 2_000, 'cluster-port': await freePort() };
    const args = Object.entries({ ...options, masterauth: password }).flatMap(([key, value]) => [
      `--${key}`,
      `${value}`,
    ]);
    return RedisNode.open(join(dataDir, `redis-${name}`), args, log);
  };
  const nodes = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(open));
  const ids = await Promise.all(nodes.map(async (node) => String(await node.ask('CLUSTER', 'MYID'))));
  const busPort = async (node: RedisNode): Promise<number> =>
    Number(((await node.ask('CONFIG', 'GET', 'cluster-port')) as string[])[1]);
  const [first, ...others] = nodes as [RedisNode, ...RedisNode[]];
  for (const [index, node] of nodes.entries()) await node.ask('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  for (const node of others) await first.ask('CLUSTER', 'MEET', '127.0.0.1', node.port, await busPort(node));
  const slots = [0, 5_461, 10_923, 16_384];
  for (const [index, node] of nodes.slice(0, 3).entries()) {
    await node.ask('CLUSTER', 'ADDSLOTSRANGE', slots[index] ?? 0, (slots[index + 1] ?? 0) - 1);
  }
  for (const [index, node] of nodes.slice(3).entries()) {
    await untilTrue('the nodes know each other', () => node.ask('CLUSTER', 'REPLICATE', ids[index] ?? ''));
  }
  const isWhole = async (): Promise<boolean> => {
    const replies = await Promise.all(nodes.map((node) => node.ask('CLUSTER', 'INFO')));
    const replicas = await Promise.all(nodes.map(isInStep));
    return replies.every((info) => String(info).includes('cluster_state:ok')) && replicas.every((inStep) => inStep);
  };
  await untilTrue('the cluster works', isWhole);
  const primaryOf: RedisServers['primaryOf'] = async (key) => {
    for (const node of nodes) {
      // A node that redirects or is down is not the primary of the key.
      const served = await node.ask('EXISTS', key).catch(() => null);
      if (served !== null && (await isPrimary(node))) return node;
    }
    return undefined;
  };
  return {
    url: `redis+cluster://:${password}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    ended: never,
    primaryOf,
    isWhole,
    failOver: async (key) => {
      const primary = await primaryOf(key);
      for (const node of nodes) {
        const [role, , port] = (await node.ask('ROLE')) as [string, string, number];
        if (role === 'slave' && port === primary?.port) return void (await node.ask('CLUSTER', 'FAILOVER'));
      }
    },
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}

/** Starts a primary with two replicas, and three Sentinels that watch them. */
export async function startRedisSentinels(dataDir: string, log: (line: string) => void): Promise<RedisServers> {
  const name = 'invoicing';
  const nodes = await Promise.all(
    ['a', 'b', 'c'].map((each) => RedisNode.open(join(dataDir, `redis-${each}`), ['--masterauth', password], log)),
  );
  const [primary, ...replicas] = nodes as [RedisNode, ...RedisNode[]];
  for (const replica of replicas) await replica.ask('REPLICAOF', '127.0.0.1', primary.port);
  const sentinels = await Promise.all(
    ['a', 'b', 'c'].map((each) => RedisNode.open(join(dataDir, `sentinel-${each}`), ['--sentinel'], log)),
  );
  for (const sentinel of sentinels) {
    await sentinel.ask('SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', password);
    await sentinel.ask('SENTINEL', 'MONITOR', name, '127.0.0.1', primary.port, 2);
    const settings = { 'auth-pass': password, 'down-after-milliseconds': 1_500, 'failover-timeout': 6_000 };
    for (const [key, value] of Object.entries(settings)) await sentinel.ask('SENTINEL', 'SET', name, key, value);
  }
  const isWhole = async (): Promise<boolean> => {
    const known = await Promise.all(sentinels.map((sentinel) => sentinel.ask('SENTINEL', 'MASTER', name)));
    const roles = await Promise.all(nodes.map((node) => node.ask('ROLE')));
    const replicas = await Promise.all(nodes.map(isInStep));
    return (
      roles.filter((role) => (role as string[])[0] === 'master').length === 1 &&
      replicas.every((inStep) => inStep) &&
      known.every((fields) => {
        const valueOf = (field: string): unknown => (fields as string[])[(fields as string[]).indexOf(field) + 1];
        return valueOf('num-slaves') === '2' && valueOf('num-other-sentinels') === '2';
      })
    );
  };
  await untilTrue('the Sentinels know each other and the replicas', isWhole);
  return {
    url: `redis+sentinel://:${password}@${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${name}?sentinel-password=${password}`,
    nodes,
    ended: never,
    primaryOf: async () => {
      const named = await Promise.all(
        sentinels.map((sentinel) => sentinel.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)),
      );
      const ports = new Set(named.map((address) => Number((address as string[])[1])));
      const [node] = ports.size === 1 ? nodes.filter(({ port }) => ports.has(port)) : [];
      return node !== undefined && (await isPrimary(node)) ? node : undefined;
    },
    isWhole,
    failOver: async () => {
      const [sentinel] = sentinels as [RedisNode, ...RedisNode[]];
      const named = async (): Promise<string> =>
        String(await sentinel.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name));
      const before = await named();
      // On a busy machine a failover may time out. Requesting another one fails while one is in progress.
      await untilTrue('the Sentinel names another primary', async () => {
        if ((await named()) !== before) return true;
        await sentinel.ask('SENTINEL', 'FAILOVER', name);
        return false;
      });
    },
    stop: async () => void (await Promise.all([...nodes, ...sentinels].map((node) => node.stop()))),
  };
}

/** Tests whether a server says that it is a primary; false while it does not reply. */
async function isPrimary(node: RedisNode): Promise<boolean> {
  const role = await node.ask('ROLE').catch(() => null);
  return Array.isArray(role) && role[0] === 'master';
}

/** Tests whether a server is a primary, or a replica that is connected to one. */
async function isInStep(node: RedisNode): Promise<boolean> {
  const [role, , , link] = (await node.ask('ROLE')) as string[];
  return role === 'master' || link === 'connected';
}
