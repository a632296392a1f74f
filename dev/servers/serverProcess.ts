import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endLeftover, endProcess, removePidFile, writePidFile } from './pidFile';
import { freePort } from './freePort';
import { guardProcess, unguardProcess } from './guard';
import { keptSecret } from './secret';

/** A server that this process has started. It ends with this process at the latest. */
export interface PrivateServer {
  /** With credentials. */
  readonly url: string;
  readonly pid: number;
  /** Resolves when the server has ended, with how it ended and the end of its log. */
  readonly ended: Promise<string>;
  /** Stops the server. Resolves when it has ended. Safe to call twice. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Holds the server's log and pid file. */
  readonly dir: string;
  readonly url: string;
  /** Polled until true. */
  readonly isReady: () => Promise<boolean>;
}

const pidFileOf = (dir: string) => join(dir, 'server.pid');
const logFileOf = (dir: string) => join(dir, 'server.log');

const readyWithinMs = 60_000;

export interface PrivateServerOptions {
  /** The server's own folder; created when missing. */
  readonly dataDir: string;
  /** True: a commit is on disk. False: faster, for temporary data. */
  readonly durable: boolean;
  readonly log: (line: string) => void;
  /** Further arguments, which come last, such as `--server-id=1` or `--sentinel`. */
  readonly args?: readonly string[];
  /** Shared by servers of a cluster; when absent one of its own, kept in the folder. */
  readonly password?: string;
  /** A fixed port; a free one when absent. */
  readonly port?: number;
}

/**
 * Starts a server in its folder, after ending one that was left running in it. `optionsOf` prepares the folder for a
 * port. Another program may take a free port before the server binds it, so that is retried up to five times.
 */
export async function startPrivateServer(
  { dataDir, log, ...given }: PrivateServerOptions,
  optionsOf: (access: { password: string; port: number }) => Promise<Omit<ServerOptions, 'dir'>>,
): Promise<PrivateServer> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  await endLeftover(pidFileOf(dataDir), log);
  const password = given.password ?? keptSecret(join(dataDir, 'password'));
  for (let attempt = 1; ; attempt += 1) {
    const options = await optionsOf({ password, port: given.port ?? (await freePort()) });
    try {
      return await startServerProcess({ dir: dataDir, ...options });
    } catch (error) {
      const isTaken = error instanceof Error && /address already in use/i.test(error.message);
      if (!isTaken || attempt === 5) throw error;
    }
  }
}

/**
 * Starts a server in its own process group and resolves when it is ready.
 * @throws {Error} with the end of its log when it ends before, or is not ready within a minute.
 */
export async function startServerProcess(options: ServerOptions): Promise<PrivateServer> {
  const { name, command, args, dir, url, isReady } = options;
  const output = openSync(logFileOf(dir), 'a', 0o600);
  const child = spawn(command, args, { cwd: dir, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  const pid = child.pid;
  if (pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error];
    throw new Error(`${name} does not start: ${error.message}`, { cause: error });
  }
  guardProcess(pid);
  writePidFile(pidFileOf(dir), pid);
  let running = true;
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      running = false;
      unguardProcess(pid);
      removePidFile(pidFileOf(dir));
      resolve(
        `${name} ended with ${signal ?? `exit code ${code}`}. The end of ${logFileOf(dir)}:\n${lastLines(logFileOf(dir))}`,
      );
    });
  });
  const stop = async () => {
    if (running) await endProcess(pid);
    await ended;
  };

  const deadline = Date.now() + readyWithinMs;
  while (!(await isReady())) {
    if (!running) throw new Error(await ended);
    if (Date.now() > deadline) {
      await stop();
      throw new Error(`${name} is not ready after ${readyWithinMs / 1000} s:\n${lastLines(logFileOf(dir))}`);
    }
    await sleep(25);
  }
  return { url, pid, ended, stop };
}

/** The end of a log, for a message: its last 20 lines. */
function lastLines(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
}
