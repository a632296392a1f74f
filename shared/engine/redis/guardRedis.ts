import type { Redis } from 'ioredis';
import { ConfigurationError } from '../../../config/ConfigurationError';
import { readRedisUrl, redisHosts, type RedisAddress, type RedisHost } from '../../../config/redisUrl';
import { guardStart } from '../process';
import type { Logger } from '../log';
import { openServerOnce } from './openClient';
import { replyOf } from './replies';

/** A server that holds keys of the queues, over a connection for the caller to close. */
export interface UsableServer {
  /** `host:port`. */
  readonly name: string;
  readonly redis: Redis;
  /** The text of `INFO`. */
  readonly info: string;
}

/**
 * Checks while the process starts that REDIS_URL names what can hold the queues. If Redis is unreachable or refuses the password, the
 * process starts all the same, and the check is repeated until it has a result.
 * @throws {ConfigurationError} for another kind of server than the URL says, or a missing database, if the first check finds it.
 */
export function guardRedis(redisUrl: string, log: Logger): Promise<void> {
  return guardStart(
    async () => (await openUsableRedis(redisUrl)).forEach(({ redis }) => redis.disconnect()),
    // Only debug: the queues' own connections log a warning.
    (error) => log.debug({ err: error }, 'Redis could not be checked; the check is repeated'),
  );
}

/**
 * Connects to what holds the queues: the server, the primary that the Sentinels name, or each primary of the cluster.
 * @throws {ConfigurationError} for another kind of server than the URL says, or a missing database; any other error if Redis is
 * unreachable or refuses the password.
 */
export async function openUsableRedis(redisUrl: string): Promise<[UsableServer, ...UsableServer[]]> {
  const address = readRedisUrl(redisUrl);
  const [first, ...others] = await primariesOf[address.mode](address);
  const opened = [await openUsable(address, first)] as [UsableServer, ...UsableServer[]];
  try {
    for (const host of others) opened.push(await openUsable(address, host));
    return opened;
  } catch (error) {
    opened.forEach(({ redis }) => redis.disconnect());
    throw error;
  }
}

type Hosts = RedisAddress['hosts'];

const primariesOf: Record<RedisAddress['mode'], (address: RedisAddress) => Promise<Hosts>> = {
  server: ({ hosts }) => Promise.resolve(hosts),
  sentinel: askSentinels,
  cluster: (address) => askFirst(address, address.account, primariesOfCluster),
};

/** Connects to a server that is to hold keys. */
async function openUsable(address: RedisAddress, host: RedisHost): Promise<UsableServer> {
  const redis = await openServerOnce(address, host);
  try {
    const info = await redis.info();
    if (address.mode === 'server') {
      if (isSentinel(info)) throw unusable(notServer.sentinel);
      if (isCluster(info)) throw unusable(notServer.cluster);
    }
    if (address.database > 0) await select(redis, address.database);
    return { name: redisHosts({ ...address, hosts: [host] }), redis, info };
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}

const isSentinel = (info: string): boolean => /^redis_mode:sentinel\r?$/m.test(info);
const isCluster = (info: string): boolean => /^cluster_enabled:1\r?$/m.test(info);

const notServer = {
  cluster:
    'names a node of a Redis Cluster (cluster_enabled:1); write it redis+cluster://user:password@host:6379,host:6379 with two or more ' +
    'of its nodes, or set it to a single Redis or Valkey server',
  sentinel:
    'names a Sentinel (redis_mode:sentinel), which holds no data; write it redis+sentinel://user:password@host:26379,host:26379/name ' +
    'with the name of the primary that the Sentinels watch, or set it to the primary that the Sentinel watches',
};

/** Asks the hosts in turn, until one is reached. @throws the last error if none is. */
async function askFirst(
  address: RedisAddress,
  account: RedisAddress['account'],
  ask: (redis: Redis, host: RedisHost) => Promise<Hosts>,
): Promise<Hosts> {
  let failure: unknown;
  for (const host of address.hosts) {
    try {
      const redis = await openServerOnce(address, host, account);
      try {
        return await ask(redis, host);
      } finally {
        redis.disconnect();
      }
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      failure = error;
    }
  }
  throw failure;
}

function askSentinels(address: RedisAddress): Promise<Hosts> {
  const { sentinel } = address;
  if (sentinel === null) throw new Error('an address of Sentinels has the name of a primary');
  return askFirst(address, sentinel.account, async (redis, { host, port }) => {
    if (!isSentinel(await redis.info())) {
      throw unusable(
        `names ${host}:${port} as a Sentinel, which is none; list the Sentinels (port 26379 by default), or write redis://…`,
      );
    }
    const found = (await redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', sentinel.name)) as [string, string] | null;
    if (found === null) {
      throw unusable(
        `names the primary "${sentinel.name}", which the Sentinel ${host}:${port} does not watch; write the name of its ` +
          '"sentinel monitor" after the last "/"',
      );
    }
    return [{ host: found[0], port: Number(found[1]) }];
  });
}

/** Returns the primaries of a cluster, as one of its nodes knows them: the first server of each range of slots. */
async function primariesOfCluster(redis: Redis, { host, port }: RedisHost): Promise<Hosts> {
  if (!isCluster(await redis.info())) {
    throw unusable(
      `names ${host}:${port} as a node of a Redis Cluster, which it is not (cluster_enabled:0); write redis://… for a single server`,
    );
  }
  const ranges = await redis.cluster('SLOTS');
  const primaries = new Map(
    // A node that does not know its own name sends none: it is the one that was asked.
    ranges.map(([, , [at, on] = [host, port]]) => [`${at} ${on}`, { host: at || host, port: on }]),
  );
  const [first, ...others] = primaries.values();
  if (first === undefined) throw new Error('no node of the Redis Cluster serves a slot');
  return [first, ...others];
}

async function select(redis: Redis, database: number): Promise<void> {
  try {
    await redis.select(database);
  } catch (error) {
    const reply = replyOf(error);
    if (reply === null) throw error;
    throw unusable(
      `names the database ${database}, and Redis replies "${reply}"; set a number below "databases" of its configuration ` +
        '(16 by default), for example redis://user:password@host:6379/0',
    );
  }
}

const unusable = (why: string): ConfigurationError => new ConfigurationError([`REDIS_URL ${why}`]);
