import { readServerUrl, urlsOfHosts } from './serverUrl';

const form = 'redis://user:password@host:6379/0';
/** All forms, for documentation and errors. */
export const redisForms = `${form}, redis+sentinel://user:password@host:26379,host:26379/name or redis+cluster://user:password@host:6379,host:6379`;

export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** An ACL user and its password; absent where the server asks for none. */
export interface RedisAccount {
  readonly username?: string;
  readonly password?: string;
}

/** How the data is reached: one server; the primary that Sentinels name; or the primaries of a Redis Cluster, found by any of its nodes. */
export interface RedisAddress {
  readonly mode: 'server' | 'sentinel' | 'cluster';
  /** The server, the Sentinels, or nodes of the cluster. */
  readonly hosts: readonly [RedisHost, ...RedisHost[]];
  readonly account: RedisAccount;
  /** 0 in a cluster, which has no others. */
  readonly database: number;
  /**
   * Applies to all connections, including those to Sentinels. The authorities are those of Node.js: its own list and NODE_EXTRA_CA_CERTS.
   */
  readonly tls: boolean;
  /** Version 2 for proxies and servers that do not know the command HELLO. */
  readonly protocol: 2 | 3;
  /** The IP version of host names; 0 for either. */
  readonly family: 0 | 4 | 6;
  /** The name by which the Sentinels know the primary, and their own account. */
  readonly sentinel: { readonly name: string; readonly account: RedisAccount } | null;
}

const modes = { redis: 'server', 'redis+sentinel': 'sentinel', 'redis+cluster': 'cluster' } as const;
const protocols = { '2': 2, '3': 3 } as const;
const families = { '0': 0, '4': 4, '6': 6 } as const;

/**
 * Reads a REDIS_URL: `redis://`, `redis+sentinel://` or `redis+cluster://`, each with `rediss` for TLS. The database is a number, 0 by
 * default.
 * @throws {RangeError} for another kind of URL, path or parameter; the message names what is expected and nothing of the URL's secrets.
 */
export function readRedisUrl(redisUrl: string): RedisAddress {
  const [, tls, kind] = /^redis(s?)((?:\+sentinel|\+cluster)?):\/\/\S/.exec(redisUrl) ?? [];
  if (kind === undefined) throw new RangeError(`is not the URL of a Redis server; expected ${redisForms}`);
  const [, parameters = ''] = redisUrl.split('?', 2);
  if (parameters.includes('+'))
    throw new RangeError('has a "+" in a parameter, where it means a space; write it as %2B');
  const mode = modes[`redis${kind}` as keyof typeof modes];
  const [first, ...others] = (mode === 'server' ? [redisUrl] : urlsOfHosts(redisUrl)).map((url) =>
    readServerUrl(url, redisForms),
  );
  if (first === undefined) throw new RangeError(`names no host; expected ${redisForms}`);
  const parameter = readParameters(first.searchParams, mode);
  const { name, database } = readPath(first.pathname, mode);
  const hostOf = ({ hostname, port }: URL): RedisHost => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (mode === 'sentinel' ? 26_379 : 6_379),
  });
  return {
    mode,
    hosts: [hostOf(first), ...others.map(hostOf)],
    account: accountOf(decodeURIComponent(first.username), decodeURIComponent(first.password)),
    database,
    tls: tls === 's',
    protocol: parameter('protocol', protocols, 3),
    family: parameter('family', families, 0),
    sentinel:
      name === null
        ? null
        : {
            name,
            account: accountOf(
              first.searchParams.get('sentinel-user') ?? '',
              first.searchParams.get('sentinel-password') ?? '',
            ),
          },
  };
}

/** Returns the hosts as a message shows them, without secrets: `10.0.0.1:6379, 10.0.0.2:6379`. */
export function redisHosts({ hosts }: RedisAddress): string {
  return hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(', ');
}

function accountOf(username: string, password: string): RedisAccount {
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}

/** Reads `/0` of a server, `/name` or `/name/0` of Sentinels; a cluster has no path. */
function readPath(path: string, mode: RedisAddress['mode']): { name: string | null; database: number } {
  const parts = path.split('/').slice(1);
  const name = mode === 'sentinel' ? decodeURIComponent(parts.shift() ?? '') : null;
  if (name === '') throw new RangeError(`does not name the primary that the Sentinels watch; expected ${redisForms}`);
  const [number = '', ...rest] = parts;
  if (rest.length > 0 || !/^\d{0,5}$/.test(number)) {
    throw new RangeError(`names no database by a number in its path; expected ${redisForms}`);
  }
  if (mode === 'cluster' && Number(number) > 0) {
    throw new RangeError(`names a database of a Redis Cluster, which has database 0 alone; expected ${redisForms}`);
  }
  return { name, database: Number(number) };
}

/** Checks that all parameters are known. Returns a function that reads one of a list of values. */
function readParameters(parameters: URLSearchParams, mode: RedisAddress['mode']) {
  const known = ['protocol', 'family', ...(mode === 'sentinel' ? ['sentinel-user', 'sentinel-password'] : [])];
  if (parameters.has('db')) throw new RangeError(`names no database by a number in its path; expected ${form}`);
  const unknown = [...parameters.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new RangeError(`has the parameter "${unknown}"; expected none but ${known.join(', ')}`);
  }
  return <T>(name: string, values: Readonly<Record<string, T>>, preset: T): T => {
    const given = parameters.get(name);
    if (given === null) return preset;
    const value = Object.hasOwn(values, given) ? values[given] : undefined;
    if (value === undefined)
      throw new RangeError(`has an unknown ${name}; expected ?${name}= with one of ${Object.keys(values).join(', ')}`);
    return value;
  };
}
