import { spawn, type ChildProcess } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import puppeteer, { type Browser } from 'puppeteer';
import { goAfterOthers } from '../../shared/engine/process';
import type { ChromiumBinary } from './chromiumBinary';
import { PipeTransport } from './PipeTransport';

/** Longest wait for one response of the browser, in milliseconds; a job's own deadline is shorter. */
const protocolTimeout = 30_000;
/** Long, since a worker ends when its browser does not start, and each new start costs a busy machine more. */
const startTimeout = 60_000;
const stderrKept = 4000;

/** The rights of a browser on the machine. */
export interface ChromiumRights {
  /** The id of the user and group that the browser runs as, or null for the worker's own. */
  user: number | null;
  /** Chromium's own sandbox around the processes that read pages. */
  sandbox: boolean;
}

/** How to start a browser. */
export interface ChromiumLaunch extends ChromiumRights {
  binary: ChromiumBinary;
  /** A fontconfig file. */
  fontConfig: string;
  /** The folder in which each browser creates its profile, and removes it in the end. */
  folder: string;
  /** How much nicer it is than this process. */
  nicerBy: number;
}

/**
 * One running browser without a network: it resolves no name, and its proxy is a closed port. It has its own process group, so
 * that `kill` reaches all of its processes, and it ends by itself when this process ends.
 */
export class Chromium {
  private ended = false;
  private readonly exit: Promise<void>;

  private constructor(
    private readonly process: ChildProcess,
    private readonly profile: string,
    readonly client: Browser,
  ) {
    this.exit = exitOf(process);
    client.once('disconnected', () => (this.ended = true));
    process.once('exit', () => (this.ended = true));
  }

  /** @throws {Error} with the browser's output when it does not start within a minute. */
  static async launch(launch: ChromiumLaunch): Promise<Chromium> {
    const profile = await mkdtemp(join(launch.folder, `profile-${process.pid}-`));
    if (launch.user !== null) await chown(profile, launch.user, launch.user);
    const child = spawnBrowser(launch, profile);
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-stderrKept)));
    const giveUp = setTimeout(() => killGroup(child), startTimeout);
    try {
      await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
      // It has a session of its own.
      goAfterOthers(getPriority() + launch.nicerBy, child.pid);
      const transport = new PipeTransport(child.stdio[3] as Writable, child.stdio[4] as Readable);
      const client = await puppeteer.connect({ transport, protocolTimeout, defaultViewport: null });
      return new Chromium(child, profile, client);
    } catch (error) {
      killGroup(child);
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
      throw new Error(`${launch.binary.path} did not start: ${output.trim() || 'it wrote nothing'}`, { cause: error });
    } finally {
      clearTimeout(giveUp);
    }
  }

  /** False once the process or the connection to it has ended. */
  get alive(): boolean {
    return !this.ended;
  }

  /** Kills every process of the browser, hung ones too. Pending calls fail. */
  kill(): void {
    this.ended = true;
    killGroup(this.process);
  }

  /** Kills the browser and removes its profile. Safe to call again. */
  async dispose(): Promise<void> {
    this.kill();
    await this.exit;
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Spawns the browser. Puppeteer's `launch` is not used: it cannot run the browser as another user, drops the output of a browser
 * that does not start, and crashes the worker when the program cannot be run (an unhandled `error` event).
 */
function spawnBrowser({ binary, fontConfig, sandbox, user }: ChromiumLaunch, profile: string): ChildProcess {
  const env: Record<string, string> = { HOME: profile, TMPDIR: profile, LANG: 'C.UTF-8', FONTCONFIG_FILE: fontConfig };
  if (binary.libraries) env.LD_LIBRARY_PATH = binary.libraries;
  return spawn(binary.path, browserArguments(profile, sandbox), {
    env,
    detached: true,
    ...(user !== null && { uid: user, gid: user }),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
}

function browserArguments(profile: string, sandbox: boolean): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    ...(sandbox ? [] : ['--no-sandbox']),
    '--proxy-server=http://127.0.0.1:1',
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-extensions',
    '--disable-sync',
    '--no-first-run',
    '--no-default-browser-check',
    '--no-pings',
    '--disable-breakpad',
    '--disable-crash-reporter',
    '--disable-dev-shm-usage',
    '--disable-gpu',
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-renderer-backgrounding',
    '--disable-hang-monitor',
    '--mute-audio',
    '--font-render-hinting=none',
    '--lang=en-US',
  ];
}

function exitOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}

/** Kills the process group that the browser leads. ESRCH means that it has ended already. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
