import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { atEnd } from './installation';

/** A process of the service as it is deployed: the built entry in a process of its own. */
interface StartedProcess {
  readonly child: ChildProcess;
  /** What it logged so far. */
  readonly log: () => string;
  /** Sends the signal and waits for the end; returns exit code and signal. */
  end(signal: NodeJS.Signals): Promise<[number | null, NodeJS.Signals | null]>;
}

export type WorkerProcess = StartedProcess;

export interface ApiProcess extends StartedProcess {
  readonly url: string;
}

/** Starts a worker with nothing but this environment; resolves when it takes jobs. Killed after the file's last test. */
export async function startWorkerProcess(env: Record<string, string>): Promise<WorkerProcess> {
  const { ready: _, ...worker } = await startProcess('workers', env, []);
  return worker;
}

/**
 * Starts an API on a free port (or `PORT`) with nothing but this environment and these options of Node.js; resolves when it listens.
 * Killed after the file's last test.
 */
export async function startApiProcess(env: Record<string, string>, nodeOptions: string[] = []): Promise<ApiProcess> {
  const { ready, ...api } = await startProcess('api', { PORT: '0', ...env }, nodeOptions);
  return { ...api, url: `http://127.0.0.1:${String(ready.port)}` };
}

async function startProcess(
  part: 'api' | 'workers',
  env: Record<string, string>,
  execArgv: string[],
): Promise<StartedProcess & { ready: { port?: number } }> {
  const { PATH = '', HOME = '' } = process.env;
  const child = fork(join(projectRoot, `dist/${part}/index.js`), {
    env: { PATH, HOME, ...env, LOG_LEVEL: 'debug' },
    execArgv,
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
  const message = once(child, 'message') as Promise<[{ port?: number }]>;
  const ready = await Promise.race([message.then(([details]) => details), ended.then(() => null)]);
  if (ready === null) throw new Error(`the ${part} process ended:\n${told}`);
  return { child, log: () => told, end, ready };
}
