import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { projectRoot } from '../../config/paths';
import { endProcess, removePidFile, writePidFile } from '../servers/pidFile';
import { guardProcess, unguardProcess } from '../servers/guard';
import { pidFileOf } from './claimDataDir';
import { openPartLog } from './partLog';

/** The message of a part that is ready: `{ ready: true }`, and the ports that it has chosen. */
export type ReadyMessage = Readonly<Record<string, unknown>>;

/** One process of the installation. */
export interface Part {
  /** 0 when the process could not be started. */
  readonly pid: number;
  /** Resolves with the message when the part takes work. Rejects when the part ends before, or after a minute. */
  readonly ready: Promise<ReadyMessage>;
  /** Resolves when the process has ended, with how it ended and the end of its log. */
  readonly ended: Promise<string>;
  /** Sends SIGTERM, and SIGKILL after the grace time. Resolves when the process has ended. */
  stop(): Promise<void>;
}

export interface PartOptions {
  readonly name: string;
  /** The compiled entry, from the project's root; or an absolute path. */
  readonly script: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The installation's folder: the part's log and pid file are in it. */
  readonly dataDir: string;
  readonly stopWithinMs: number;
  readonly log: (line: string) => void;
}

const readyWithinMs = 60_000;

/**
 * Starts a part in a session of its own, so that Ctrl-C reaches the launcher alone, which ends the parts in order. The
 * part ends when its IPC channel to the launcher closes.
 */
export function startPart(options: PartOptions): Part {
  const { name, script, environment, dataDir, stopWithinMs, log } = options;
  mkdirSync(join(dataDir, 'logs'), { recursive: true });
  const file = join(dataDir, 'logs', `${name}.log`);
  const partLog = openPartLog(name, file, log);
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=512', '--enable-source-maps', resolve(projectRoot, script)],
    {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: environment,
    },
  );
  const { pid } = child;
  const pidFile = pidFileOf(dataDir, name);
  if (pid !== undefined) {
    guardProcess(pid);
    writePidFile(pidFile, pid);
  }
  if (child.stdout) partLog.follow(child.stdout, 'detail');
  if (child.stderr) partLog.follow(child.stderr, 'problem');

  const ended = new Promise<string>((resolve) => {
    const finish = (how: string) => {
      const shown = partLog.lastLines();
      partLog.close();
      resolve(`${name} ${how}. The end of ${file}:\n${shown}`);
    };
    child.once('error', (error) => finish(`could not be started: ${error.message}`));
    child.once('exit', () => {
      if (pid !== undefined) unguardProcess(pid);
      removePidFile(pidFile);
    });
    child.once('close', (code, signal) => finish(`ended with ${signal ?? `exit code ${code}`}`));
  });
  const ready = new Promise<ReadyMessage>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${name} is not ready after a minute, see ${file}`)), readyWithinMs);
    child.on('message', (message: ReadyMessage) => {
      if (message['ready'] !== true) return;
      clearTimeout(late);
      resolve(message);
    });
    void ended.then((how) => {
      clearTimeout(late);
      reject(new Error(how));
    });
  });
  return {
    pid: pid ?? 0,
    ready,
    ended,
    stop: async () => {
      if (pid !== undefined && child.exitCode === null && child.signalCode === null)
        await endProcess(pid, stopWithinMs);
      await ended;
    },
  };
}
