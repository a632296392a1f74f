import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { projectRoot } from '../../config/paths';
import { findBinary } from './findBinary';
import { installProblem } from './installProblem';
import { startServerProcess, type PrivateServer } from './serverProcess';

const run = promisify(execFile);

export interface HaproxyOptions {
  /** A file of `ops`. */
  readonly file: string;
  /** Texts of the file, and their replacements. */
  readonly replaced: readonly (readonly [string, string])[];
  /** Holds the changed file, the log and the socket for administration. */
  readonly dataDir: string;
  /** The address on which HAProxy listens. */
  readonly url: string;
  readonly isReady: (servers: readonly HaproxyServer[]) => boolean;
}

/** A server, as HAProxy reports it. */
export interface HaproxyServer {
  /** The name of the `backend` or `listen` section. */
  readonly section: string;
  readonly name: string;
  /** `UP`, `DOWN` … */
  readonly state: string;
}

export interface PrivateHaproxy extends PrivateServer {
  servers(): Promise<HaproxyServer[]>;
}

/**
 * Starts HAProxy with a file of `ops` and the given replacements.
 * @throws {Error} without HAProxy, for a text that is not in the file, or when HAProxy warns of the file.
 */
export async function startPrivateHaproxy(options: HaproxyOptions): Promise<PrivateHaproxy> {
  const { file, replaced, dataDir, url, isReady } = options;
  const command = findBinary('haproxy');
  if (command === undefined) throw new Error(installProblem(['haproxy']));
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const socket = join(dataDir, 'admin.sock');
  const changes = [
    ['    log /dev/log local0\n    user haproxy\n    group haproxy\n', '    log stdout format raw local0\n'],
    ['/run/haproxy/admin.sock mode 660', `${socket} mode 600`],
    ...replaced,
  ] as const;
  let config = readFileSync(join(projectRoot, 'ops', file), 'utf8');
  for (const [from, to] of changes) {
    if (!config.includes(from)) throw new Error(`ops/${file} does not have: ${from}`);
    config = config.replaceAll(from, to);
  }
  writeFileSync(join(dataDir, file), config, { mode: 0o600 });
  const { stdout, stderr } = await run(command, ['-c', '-f', file], { cwd: dataDir });
  if (/WARNING|ALERT/.test(stdout + stderr)) throw new Error(`HAProxy warns of ops/${file}:\n${stdout}${stderr}`);
  const servers = (): Promise<HaproxyServer[]> => readServers(socket);
  const server = await startServerProcess({
    name: 'HAProxy',
    command,
    args: ['-db', '-f', file],
    dir: dataDir,
    url,
    isReady: () => servers().then(isReady, () => false),
  });
  return { ...server, servers };
}

async function readServers(socket: string): Promise<HaproxyServer[]> {
  const connection = connect(socket);
  connection.end('show stat\n');
  const [head = [], ...rows] = (await text(connection)).split('\n').map((line) => line.split(','));
  const column = head.indexOf('status');
  return rows.flatMap(([section = '', name = '', ...others]) =>
    section === '' || name === 'FRONTEND' || name === 'BACKEND'
      ? []
      : [{ section, name, state: [section, name, ...others][column] ?? '' }],
  );
}
