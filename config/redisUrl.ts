import { readServerUrl } from './serverUrl';

const form = 'redis://user:password@host:6379/0';

export interface RedisAddress {
  /** `redis://user:password@host:port`, without the database. */
  readonly url: string;
  readonly database: number;
}

/**
 * Reads a REDIS_URL. Redis knows its databases by number; without one it is 0.
 * @throws {RangeError} for another kind of URL or path; the message names what is expected and nothing of the URL's secrets.
 */
export function readRedisUrl(redisUrl: string): RedisAddress {
  if (!/^rediss?:\/\/\S/.test(redisUrl)) throw new RangeError(`is not the URL of a Redis server; expected ${form}`);
  const url = readServerUrl(redisUrl, form);
  const path = url.pathname.replace(/^\//, '');
  if (!/^\d{0,5}$/.test(path) || url.searchParams.has('db')) {
    throw new RangeError(`names no database by a number in its path; expected ${form}`);
  }
  url.pathname = '';
  return { url: url.href, database: Number(path) };
}
