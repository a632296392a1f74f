import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess } from './endProcess';
import { guardProcess, unguardProcess } from './guard';
import { removePidFile, writePidFile } from './pidFile';

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

export const pidFileOf = (dir: string) => join(dir, 'server.pid');
const logFileOf = (dir: string) => join(dir, 'server.log');

const readyWithinMs = 60_000;

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
