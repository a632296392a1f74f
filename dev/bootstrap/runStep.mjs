import { spawn } from 'node:child_process';

/**
 * Runs a long command, reports on stderr every 10 s that it still runs, and passes signals on to it.
 * @throws {Error} with that output when the command fails.
 */
export async function runStep(title, [command, ...args], cwd) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  console.error(`${title} …`);
  const reporting = setInterval(() => console.error(`  still ${title}, ${seconds()}`), 10_000);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  let interrupted = false;
  let output = '';
  const failure = await new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const passOn = (signal) => {
      interrupted = true;
      child.kill(signal);
    };
    for (const signal of signals) process.on(signal, passOn);
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => {
      for (const name of signals) process.off(name, passOn);
      resolve(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`);
    });
  });
  clearInterval(reporting);
  if (interrupted) throw new Error('interrupted');
  if (failure !== undefined) throw new Error(`${output}\n${title} failed: ${failure}`);
  console.error(`  done in ${seconds()}`);
}
