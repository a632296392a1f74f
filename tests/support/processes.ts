import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { atEnd } from './installation';

/** A worker as it is deployed: the built entry in a process of its own. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  /** What it logged so far. */
  readonly log: () => string;
  /** Sends the signal and waits for the end; answers exit code and signal. */
  end(signal: NodeJS.Signals): Promise<[number | null, NodeJS.Signals | null]>;
}

/** Starts a worker with nothing but this environment; resolves when it takes jobs. Killed after the file's last test. */
export async function startWorkerProcess(env: Record<string, string>): Promise<WorkerProcess> {
  const { PATH = '', HOME = '' } = process.env;
  const child = fork(join(projectRoot, 'dist/workers/index.js'), {
    env: { PATH, HOME, ...env, LOG_LEVEL: 'debug' },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const end = (signal: NodeJS.Signals): typeof ended => {
    child.kill(signal);
    return ended;
  };
  atEnd(async () => {
    if (child.exitCode === null && child.signalCode === null) await end('SIGKILL');
  });
  const ready = once(child, 'message').then(() => true);
  if (!(await Promise.race([ready, ended.then(() => false)]))) throw new Error(`the worker ended:\n${told}`);
  return { child, log: () => told, end };
}
