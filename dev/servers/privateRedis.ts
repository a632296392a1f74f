import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findBinary } from './findBinary';
import { freePort } from './freePort';
import { installProblem } from './installProblem';
import { endLeftover } from './pidFile';
import type { PrivateServerOptions } from './privateMysql';
import { retryTakenPort } from './retryTakenPort';
import { keptSecret } from './secret';
import { pidFileOf, startServerProcess, type PrivateServer } from './serverProcess';

export interface PrivateRedisOptions extends PrivateServerOptions {
  /** Further arguments, such as `--sentinel`. */
  readonly args?: readonly string[];
  /** Of all servers that know each other; else one of its own. */
  readonly password?: string;
  /** Where others look for it; else any free one. */
  readonly port?: number;
}

/** Returns the path of the installed Redis or Valkey server, or undefined. */
export function findRedis(): string | undefined {
  return findBinary('redis-server', 'valkey-server');
}

/**
 * Starts a Redis or Valkey server on a loopback port, after ending one that was left running in the same folder. It
 * never evicts keys, which the queues need. @throws {Error} with instructions when the machine has no such server or it
 * does not start.
 */
export async function startPrivateRedis({
  dataDir,
  durable,
  log,
  args = [],
  ...given
}: PrivateRedisOptions): Promise<PrivateServer> {
  const binary = findRedis();
  if (binary === undefined) throw new Error(installProblem(['redis']));
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  await endLeftover(pidFileOf(dataDir), log);
  const password = given.password ?? keptSecret(join(dataDir, 'password'));
  const configFile = join(dataDir, 'redis.conf');

  return retryTakenPort(async () => {
    const port = given.port ?? (await freePort());
    // In a file because a process's arguments can be read by every user of the machine.
    writeFileSync(configFile, configuration({ dataDir, port, password, durable }), { mode: 0o600 });
    return startServerProcess({
      name: 'Redis',
      command: binary,
      args: [configFile, ...args],
      dir: dataDir,
      url: `redis://:${password}@127.0.0.1:${port}`,
      isReady: () => responds(port, password),
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

/** True once it takes the password and has loaded its data. */
function responds(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    const finish = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.on('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (received.split('\r\n').length > 2) finish(received === '+OK\r\n+PONG\r\n');
    });
    socket.on('timeout', () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
  });
}
