import { readRedisUrl, redisHosts } from '../../config/redisUrl';
import { redisKeys } from '../../config/redisKeys';
import { ConfigurationError } from '../../config/ConfigurationError';
import { loadConfig } from '../../config/env';

const server = {
  mode: 'server',
  hosts: [{ host: '127.0.0.1', port: 6379 }],
  account: {},
  database: 0,
  tls: false,
  protocol: 3,
  family: 0,
  sentinel: null,
};

test.each([
  ['redis://127.0.0.1', {}],
  ['redis://127.0.0.1:6379/', {}],
  [
    'rediss://user:p%40ss@redis.example:6380/3?family=6&protocol=2',
    {
      hosts: [{ host: 'redis.example', port: 6380 }],
      account: { username: 'user', password: 'p@ss' },
      database: 3,
      tls: true,
      protocol: 2,
      family: 6,
    },
  ],
  ['redis://:word@[::1]:6379', { hosts: [{ host: '::1', port: 6379 }], account: { password: 'word' } }],
  [
    'redis+sentinel://user:p,w@s1.example,s2.example:26380/main/2?sentinel-user=watch&sentinel-password=s%26w',
    {
      mode: 'sentinel',
      hosts: [
        { host: 's1.example', port: 26_379 },
        { host: 's2.example', port: 26_380 },
      ],
      account: { username: 'user', password: 'p,w' },
      database: 2,
      sentinel: { name: 'main', account: { username: 'watch', password: 's&w' } },
    },
  ],
  [
    'rediss+cluster://n1.example:7000,n2.example:7001',
    {
      mode: 'cluster',
      hosts: [
        { host: 'n1.example', port: 7000 },
        { host: 'n2.example', port: 7001 },
      ],
      tls: true,
    },
  ],
])('%s › what it names', (given, expected) => {
  expect(readRedisUrl(given)).toEqual({ ...server, ...expected });
});

test('the hosts › are shown without secrets, an IPv6 address in brackets', () => {
  expect(redisHosts(readRedisUrl('redis+cluster://u:s3cret@10.0.0.1,[::1]:7000'))).toBe('10.0.0.1:6379, [::1]:7000');
});

test.each([
  ['redis', '/abc'],
  ['redis', '/1/2'],
  ['redis', '/-1'],
  ['redis', '/1e1'],
  ['redis', '?db=3'],
  ['redis', '/3?db=4'],
  ['redis+sentinel', '/main/abc'],
  ['redis+cluster', '/main'],
])('%s://…%s › is refused: the queues would be in database 0', (scheme, path) => {
  const load = (): unknown => loadConfig({ REDIS_URL: `${scheme}://user:s3cret@127.0.0.1:6379${path}` });
  expect(load).toThrow(ConfigurationError);
  expect(load).toThrow(
    /REDIS_URL names no database by a number in its path; expected redis:\/\/user:password@host:6379\/0/,
  );
  expect(load).not.toThrow(/s3cret/);
});

test.each([
  ['redis+sentinel://user:s3cret@a,b', /does not name the primary that the Sentinels watch; expected .*\/name/],
  ['redis+sentinel://user:s3cret@a,b/', /does not name the primary/],
  ['redis+cluster://user:s3cret@a,b/1', /names a database of a Redis Cluster, which has database 0 alone/],
  ['redis+cluster://user:s3cret@a,,b', /cannot be read as a URL/],
  [
    'redis+other://user:s3cret@a',
    /is not the URL of a Redis server; expected redis:.*redis\+sentinel:.*redis\+cluster:/,
  ],
  ['redis://user:s3cret@a:1,b:2', /cannot be read as a URL/],
  ['redis://user:s3cret@a?tls=true', /has the parameter "tls"; expected none but protocol, family$/],
  ['redis://user:s3cret@a?sentinel-password=s3cret', /has the parameter "sentinel-password"/],
  ['redis+sentinel://a/name?sentinel-password=s3cret+s3cret', /has a "\+" in a parameter, .* write it as %2B/],
  ['redis://user:s3cret@a?protocol=4', /has an unknown protocol; expected \?protocol= with one of 2, 3/],
])('%s › is refused, with a right form and no secret', (url, message) => {
  const load = (): unknown => loadConfig({ REDIS_URL: url });
  expect(load).toThrow(message);
  expect(load).not.toThrow(/s3cret/);
});

test('passwords of Redis and of its Sentinels › are secrets, as written and decoded', () => {
  const url = 'redis+sentinel://user:main%2Fpassword@a,b/main?sentinel-password=watch%2Fpassword';
  const parts = ['main%2Fpassword', 'main/password', 'watch%2Fpassword', 'watch/password'];
  expect(loadConfig({ REDIS_URL: url }).secrets).toEqual(expect.arrayContaining(parts));
});

test.each(['redis://a', 'redis+sentinel://a/main'])('%s › every key begins with REDIS_PREFIX as it is', (url) => {
  const { redisPrefix, queuePrefixes } = redisKeys(url, '{acme}');
  expect(new Set([redisPrefix, ...Object.values(queuePrefixes)])).toEqual(new Set(['{acme}']));
});

test.each(['{acme}', 'acme'])('a cluster and %s › each queue is a slot of its own, other keys are spread', (prefix) => {
  const { redisPrefix, queuePrefixes } = redisKeys('redis+cluster://a', prefix);
  expect(redisPrefix).toBe('acme');
  expect(queuePrefixes).toMatchObject({ email: '{acme:email}', 'pdf-long': '{acme:pdf-long}' });
});
