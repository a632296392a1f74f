import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { atEnd, installation } from './installation';

interface Outcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}

type Environment = Record<string, string>;

/** Runs the CLI as it is deployed: one process, configured by the environment alone. It is killed after 20 seconds. */
export async function runCliProcess(args: string[], env: Environment = {}): Promise<Outcome> {
  const options = { env: await environmentOf(env), timeout: 120_000 };
  return new Promise((resolve) => {
    execFile(process.execPath, [join(projectRoot, 'dist/cli/index.js'), ...args], options, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}

let child: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the built CLI in a process that the commands of a test file share, one after the other: a process of its own takes ten times as
 * long as most commands. For what is not about the process, see {@link runCliProcess}.
 */
export function runCli(args: string[], env: Environment = {}): Promise<Outcome> {
  const outcome = last.then(async () => {
    child ??= startChild();
    child.send({ args, env: await environmentOf(env) });
    const done = new AbortController();
    const listeners = ['message', 'exit'].map((event) => once(child as ChildProcess, event, { signal: done.signal }));
    const [message] = (await Promise.race(listeners)) as [Outcome | number | null];
    done.abort();
    await Promise.allSettled(listeners);
    if (message === null || typeof message === 'number') throw new Error('the process of the commands has ended');
    return message;
  });
  // The caller gets the error; the next command runs all the same.
  last = outcome.catch(() => undefined);
  return outcome;
}

function startChild(): ChildProcess {
  const started = fork(join(__dirname, 'cliProcess.cjs'), { env: {}, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  atEnd(() => {
    started.kill('SIGKILL');
  });
  return started;
}

async function environmentOf(env: Environment): Promise<Environment> {
  return { PATH: process.env['PATH'] ?? '', ...(await installation()), ...env };
}
