import { readRedisUrl } from '../../config/redisUrl';
import { ConfigurationError, loadConfig } from '../../config/env';

test.each([
  ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379', 0],
  ['redis://127.0.0.1:6379/', 'redis://127.0.0.1:6379', 0],
  ['rediss://user:p%40ss@redis.example:6380/3?family=6', 'rediss://user:p%40ss@redis.example:6380?family=6', 3],
])('%s › the server and the number of its database', (given, url, database) => {
  expect(readRedisUrl(given)).toEqual({ url, database });
});

test.each(['/abc', '/1/2', '/-1', '/1e1', '?db=3', '/3?db=4'])(
  'REDIS_URL with %s › is refused: the queues would be in database 0',
  (path) => {
    const load = (): unknown => loadConfig({ REDIS_URL: `redis://user:s3cret@127.0.0.1:6379${path}` });
    expect(load).toThrow(ConfigurationError);
    expect(load).toThrow(
      /REDIS_URL names no database by a number in its path; expected redis:\/\/user:password@host:6379\/0/,
    );
    expect(load).not.toThrow(/s3cret/);
  },
);
