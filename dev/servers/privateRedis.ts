import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findBinary } from './findBinary';
import { installProblem } from './installProblem';
import { startPrivateServer, type PrivateServer, type PrivateServerOptions } from './serverProcess';

/** Returns the path of the installed Redis or Valkey server, or undefined. */
export function findRedis(): string | undefined {
  return findBinary('redis-server', 'valkey-server');
}

/**
 * Starts a Redis or Valkey server on a loopback port, after ending one that was left running in the same folder. It
 * never evicts keys, which the queues need. @throws {Error} with instructions when the machine has no such server or it
 * does not start.
 */
export async function startPrivateRedis(options: PrivateServerOptions): Promise<PrivateServer> {
  const { dataDir, durable, args = [] } = options;
  const command = findRedis();
  if (command === undefined) throw new Error(installProblem(['redis']));
  return startPrivateServer(options, ({ password, port }) => {
    const configFile = join(dataDir, 'redis.conf');
    // In a file because a process's arguments can be read by every user of the machine.
    writeFileSync(configFile, configuration({ dataDir, port, password, durable }), { mode: 0o600 });
    const url = `redis://:${password}@127.0.0.1:${port}`;
    return Promise.resolve({
      ...{ name: 'Redis', command, url },
      args: [configFile, ...args],
      isReady: () => responds(url),
    });
  });
}

function configuration(of: { dataDir: string; port: number; password: string; durable: boolean }): string {
  return [
    'bind 127.0.0.1',
    `port ${of.port}`,
    `requirepass ${of.password}`,
    `dir ${JSON.stringify(of.dataDir)}`,
    'save ""',
    `appendonly ${of.durable ? 'yes' : 'no'}`,
    'maxmemory-policy noeviction',
    '',
  ].join('\n');
}

/** Tests whether the server accepts the password and has loaded its data. */
async function responds(url: string): Promise<boolean> {
  const redis = new Redis(url, { retryStrategy: () => null, maxRetriesPerRequest: 0, connectTimeout: 1_000 });
  // The command rejects with the same error.
  redis.on('error', () => undefined);
  const isReady = await redis.ping().then(
    () => true,
    () => false,
  );
  redis.disconnect();
  return isReady;
}
