import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress, RedisHost } from '../../../config/redisUrl';
import { replyCodeOf } from './replies';

/** A connection to one server, or to all primaries of a cluster. */
export type RedisClient = Redis | Cluster;

/** How a client reconnects, what it does meanwhile, and what it repeats. */
export interface ClientOptions extends RedisOptions {
  /** Milliseconds until it connects again; null for never. */
  readonly retryStrategy: () => number | null;
  /** How often a command is repeated whose node of a cluster has gone, is being replaced, or has moved its slot. */
  readonly repeats: number;
}

/** How long a command waits before it is repeated in a cluster. */
const REPEAT_MS = 100;
/** How often the nodes are asked who serves what, besides when one says that a slot has moved. */
const REFRESH_MS = 5_000;
/** How long a check waits for a connection, and for each reply. */
const ONCE_WITHIN_MS = 3_000;
/** A client that does not reconnect. */
const once = {
  lazyConnect: true,
  retryStrategy: () => null,
  maxRetriesPerRequest: 0,
  connectTimeout: ONCE_WITHIN_MS,
  commandTimeout: ONCE_WITHIN_MS,
};

/** Opens a client of whatever the address names. It begins to connect. */
export function openClient(address: RedisAddress, { repeats, retryStrategy, ...options }: ClientOptions): RedisClient {
  const { hosts, sentinel, mode } = address;
  if (mode === 'cluster') return openCluster(address, { ...options, repeats, retryStrategy });
  const common = { ...options, ...commonOptions(address), db: address.database, retryStrategy };
  if (sentinel === null) return new Redis({ ...common, ...hosts[0] });
  return new Redis({
    ...common,
    sentinels: hosts.map(({ host, port }) => ({ host, port })),
    name: sentinel.name,
    ...(sentinel.account.username !== undefined && { sentinelUsername: sentinel.account.username }),
    ...(sentinel.account.password !== undefined && { sentinelPassword: sentinel.account.password }),
    ...(address.tls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: options.connectTimeout,
    sentinelRetryStrategy: retryStrategy,
    // A primary that has become a replica while its connections stayed: the Sentinels know the new one.
    reconnectOnError: (error) => replyCodeOf(error) === 'READONLY',
  });
}

function openCluster(address: RedisAddress, options: ClientOptions): Cluster {
  const { repeats, retryStrategy, enableOfflineQueue = true, lazyConnect = false, ...redisOptions } = options;
  return new Cluster(
    address.hosts.map(({ host, port }) => ({ host, port })),
    {
      redisOptions: { ...redisOptions, ...commonOptions(address) },
      enableOfflineQueue,
      lazyConnect,
      clusterRetryStrategy: retryStrategy,
      slotsRefreshInterval: REFRESH_MS,
      maxRedirections: repeats,
      retryDelayOnFailover: REPEAT_MS,
      retryDelayOnClusterDown: REPEAT_MS,
      retryDelayOnTryAgain: REPEAT_MS,
      retryDelayOnMoved: repeats === Infinity ? REPEAT_MS : 0,
      // Names stay names: certificates are checked by them, and a node that comes back with another address is found.
      dnsLookup: (name, found) => found(null, name),
    },
  );
}

/** What every connection to a server of the address has in common. */
export function commonOptions({ account, tls, protocol, family }: RedisAddress): RedisOptions {
  return { ...account, protocol, family, ...(tls && { tls: {} }) };
}

/**
 * Opens a client that does not reconnect, for a check of what the address names.
 * @throws what the connection failed with.
 */
export async function openClientOnce(address: RedisAddress): Promise<RedisClient> {
  return connected(openClient(address, { ...once, repeats: 5 }));
}

/** Opens one connection to one of the servers that does not reconnect, for a check. @throws what it failed with. */
export function openServerOnce(address: RedisAddress, at: RedisHost, account = address.account): Promise<Redis> {
  // Checks read INFO themselves.
  const redis = new Redis({ ...commonOptions({ ...address, account }), ...at, ...once, enableReadyCheck: false });
  return connected(redis);
}

/** Connects a lazy client. @throws what it failed with: the error reply to the password, or the error of the network. */
async function connected<C extends RedisClient>(client: C): Promise<C> {
  // `connect` rejects with "Connection is closed" alone.
  let failure: Error | undefined;
  client.on('error', (error: Error) => (failure ??= error));
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.disconnect();
    throw failure ?? error;
  }
}
